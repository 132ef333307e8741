import postgres from "postgres";
import type { Sql } from "../postgres/database.ts";

/** A role's setting (`alter role … set`). */
export interface RoleSetting {
  role: string;
  name: string;
  value: string;
}

/**
 * The settings of roles as PostgREST knows them. PostgREST reads the settings when it starts, and
 * again when it is notified (`notify pgrst, 'reload config'`). Before the notification, PostgREST
 * does not see a changed setting.
 */
export class RoleSettings {
  /** Null until the settings are read. */
  #known: RoleSetting[] | null = null;
  #notifications = 0;
  #listener: Sql | null = null;
  #listening: Promise<unknown> | null = null;

  /** @param pattern a driver. The options of the driver say where the notifications come from. */
  constructor(private readonly pattern: Sql) {}

  /** The settings of a role by their names. @param read reads the settings of all roles. */
  async of(role: string, read: () => Promise<RoleSetting[]>): Promise<Record<string, string>> {
    await this.listen();
    const heard = this.#notifications;
    const settings = this.#known ?? await read();
    // If a notification arrived during the read, the next request reads the settings again.
    if (heard === this.#notifications) this.#known = settings;
    const own = settings.filter((setting) => setting.role === role);
    return Object.fromEntries(own.map(({ name, value }) => [name, value]));
  }

  /** Listens for notifications from now on. If there is no database, the next call tries again. */
  async listen(): Promise<void> {
    this.#listening ??= this.#connect();
    await this.#listening.catch(() => this.#listening = null);
  }

  #connect(): Promise<unknown> {
    this.#forget();
    this.#listener = postgres({
      ...this.pattern.options,
      max: 1,
      max_lifetime: 0,
      fetch_types: false,
      shared: { retries: 0, typeArrayMap: {} },
      onnotify: () => this.#forget(),
      onclose: () => this.#listening = null,
    } as never);
    return this.#listener.unsafe("listen pgrst");
  }

  #forget() {
    this.#known = null;
    this.#notifications++;
  }

  async close(): Promise<void> {
    await this.#listener?.end({ timeout: 1 });
  }
}
