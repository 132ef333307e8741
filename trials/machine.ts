import { cpus, totalmem } from "node:os";
import type { Sql } from "../local/postgres/database.ts";

export type Machine = Awaited<ReturnType<typeof describeMachine>>;

/** Describes this machine, because a measurement is only useful if the machine is known. */
export async function describeMachine(sql: Sql) {
  const [{ server_version }] = await sql`show server_version`;
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: navigator.hardwareConcurrency,
    /** In bytes. */
    memory: totalmem(),
    system: `${Deno.build.os} ${Deno.build.arch}`,
    deno: Deno.version.deno,
    postgres: server_version as string,
  };
}
