import { cpus, totalmem } from "node:os";
import type { Sql } from "../local/postgres/database.ts";

/** Where numbers come from; they are worth nothing without it. */
export interface Machine {
  cpu: string;
  cores: number;
  /** In bytes. */
  memory: number;
  system: string;
  deno: string;
  postgres: string;
  node: string;
}

export async function describeMachine(sql: Sql): Promise<Machine> {
  const [{ server_version }] = await sql`show server_version`;
  const { stdout } = await new Deno.Command("node", { args: ["--version"] }).output();
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: navigator.hardwareConcurrency,
    memory: totalmem(),
    system: `${Deno.build.os} ${Deno.build.arch}`,
    deno: Deno.version.deno,
    postgres: server_version,
    node: new TextDecoder().decode(stdout).trim().slice(1),
  };
}
