import type postgres from "postgres";
import type { Sql } from "../support/acting_as.ts";
import { anyPhone, type Company } from "../support/company.ts";
import { until } from "../support/started.ts";

/** The progress of a test, shared by all writers of the test. */
export interface Progress {
  /** The number of committed transactions. */
  committed: number;
  /** The number of committed transactions after which the quick writers pause. */
  mayCommit: number;
  isOver: boolean;
}

/**
 * How a writer ends its transactions: immediately, after many commits by other writers, or with a
 * rollback.
 */
export type Manner = "quick" | "slow" | "undone";

/** How many transactions other writers commit during one transaction of a slow writer. */
const MEANWHILE = 25;

class Undone extends Error {}

/** The rows that only this writer changes, so that it waits for no other writer. */
interface Own {
  contacts: string[];
  deals: string[];
  messages: string[];
}

/**
 * Writes contacts, deals and messages until `isOver` is set. Each new message also changes its
 * conversation.
 */
export class Writer {
  #own: Own = { contacts: [], deals: [], messages: [] };
  #conversation = "";

  constructor(
    readonly sql: postgres.Sql,
    readonly company: Company,
    readonly manner: Manner,
    readonly progress: Progress,
  ) {}

  /** Writes until `isOver` is set. A writer that fails sets `isOver`, so all writers stop. */
  async write() {
    const { progress } = this;
    try {
      await this.#open();
      while (!progress.isOver) await this.#transaction();
    } finally {
      progress.isOver = true;
    }
  }

  async #transaction() {
    const { progress } = this;
    if (this.manner === "quick") {
      await until(() => progress.isOver || progress.committed < progress.mayCommit);
    }
    const own = structuredClone(this.#own);
    await this.sql.begin((sql) => this.#work(sql, own)).then(() => {
      this.#own = own;
      progress.committed++;
    }, ignoreUndone);
  }

  /** Adds a new contact with a conversation. */
  async #open() {
    const { id: company_id, account_id } = this.company;
    const [contact] = await this.sql`
      insert into contacts (company_id, phone) values (${company_id}, ${anyPhone()}) returning id
    `;
    const [conversation] = await this.sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${company_id}, ${contact.id}, ${account_id}) returning id
    `;
    this.#conversation = conversation.id;
  }

  async #work(sql: Sql, own: Own) {
    await this.#change(sql, own);
    if (this.manner === "slow") {
      const { progress } = this;
      const enough = progress.committed + MEANWHILE;
      await until(() => progress.isOver || progress.committed >= enough);
    }
    for (let count = chosen(3); count > 0; count--) {
      if (chosen(3) > 0) await this.#change(sql, own);
      else await this.#savepoint(sql, own);
    }
    // All quick writers change this deal. Each of them changes the deal last in its transaction, so
    // that the others do not wait long for the deal's lock.
    if (this.manner === "quick" && chosen(3) === 0) {
      await sql`update deals set value = random() * 1000 where id = ${this.company.deal_id}`;
    }
    if (this.manner === "undone") throw new Undone();
  }

  async #savepoint(sql: Sql, own: Own) {
    const kept = structuredClone(own);
    await sql.savepoint(async (sql) => {
      await this.#change(sql, own);
      if (chosen(2) === 0) throw new Undone();
    }).catch((error) => {
      ignoreUndone(error);
      Object.assign(own, kept);
    });
  }

  async #change(sql: Sql, own: Own) {
    const { id: company_id, contact_id, stage_ids } = this.company;
    const add = async (table: keyof Own, row: Record<string, unknown>) => {
      const [{ id }] = await sql`insert into ${sql(table)} ${
        sql({ company_id, ...row })
      } returning id`;
      own[table].push(id);
    };
    const any = (table: keyof Own) => own[table][chosen(own[table].length)];
    const conversation_id = this.#conversation;
    const kinds: (() => Promise<unknown>)[] = [
      () => add("contacts", { phone: anyPhone() }),
      () => add("deals", { title: "Deal", contact_id, stage_id: stage_ids[0] }),
      () => add("messages", { conversation_id, direction: "inbound", content: "Hello" }),
      () =>
        add("messages", {
          conversation_id,
          direction: "outbound",
          content: "Hi",
          outcome: "pending",
        }),
      () => sql`update contacts set name = 'Changed ' || random() where id = ${any("contacts")}`,
      () => sql`update deals set value = random() * 1000 where id = ${any("deals")}`,
      () =>
        sql`
          update messages set outcome = 'accepted' where direction = 'outbound'
          and id = ${any("messages")}
        `,
      ...(["contacts", "deals", "messages"] as const).map((table) => async () => {
        const id = any(table);
        await sql`delete from ${sql(table)} where id = ${id}`;
        own[table] = own[table].filter((each) => each !== id);
      }),
    ];
    const needed = [
      ...[null, null, null, null, "contacts", "deals", "messages", "contacts", "deals", "messages"],
    ];
    const possible = kinds.filter((_, at) => {
      const table = needed[at] as keyof Own | null;
      return table === null || own[table].length > 0;
    });
    await possible[chosen(possible.length)]();
  }
}

/** A random number from 0 to `below` - 1. */
function chosen(below: number): number {
  return Math.floor(Math.random() * below);
}

function ignoreUndone(error: unknown) {
  if (!(error instanceof Undone)) throw error;
}
