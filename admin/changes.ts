import type { Command } from "commander";
import { examples } from "./examples.ts";
import { JSON_OPTION, moment, print, type Printing } from "./print.ts";
import { openProject } from "./project.ts";

/** Adds the commands `changes restart` and `changes status`. */
export function changesCommands(program: Command) {
  const changes = program.command("changes")
    .description(
      "Restart the change feeds after the database was restored or moved, and see what delays the feeds.",
    )
    .addHelpText(
      "after",
      examples("npm run admin -- changes restart", "npm run admin -- changes status"),
    );

  changes.command("restart")
    .description(
      "Begin a new generation of changes. Run this after every restore or move of the " +
        "database, before callers use the API again: their cursors expire, and they read " +
        "everything again.",
    )
    .option(...JSON_OPTION)
    .addHelpText("after", examples("npm run admin -- changes restart"))
    .action(restartChanges);

  changes.command("status")
    .description(
      "Show when the changes were last restarted, and whether a transaction delays them.",
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- changes status",
        "npm run --silent admin -- changes status --json",
      ),
    )
    .action(showStatus);
}

/** The result of changes_status(). */
export interface ChangesStatus {
  generation: number;
  /** When the current generation began. */
  restarted_at: string;
  /** API callers see only changes whose version is lower than this version. */
  horizon: number;
  /**
   * An upper bound for the number of finished transactions whose changes callers do not see yet.
   * These changes wait until an earlier transaction, which is still writing, has ended.
   */
  waiting_transactions: number;
  /**
   * When the oldest transaction that is still writing began. Null when no transaction is writing,
   * or when the database does not show this time.
   */
  writing_since: string | null;
  /** Whether the database shows the activity of other sessions. */
  sees_other_sessions: boolean;
}

/**
 * Formats the state of the change feed as readable text.
 * @param now the current time in milliseconds.
 */
export function changesStatusText(status: ChangesStatus, now: number): string {
  const { generation, restarted_at } = status;
  return `The changes are in generation ${generation}, since ${moment(restarted_at, "")}.\n` +
    delayText(status, now);
}

function delayText(status: ChangesStatus, now: number): string {
  const { waiting_transactions: waiting, writing_since, sees_other_sessions } = status;
  if (writing_since !== null) {
    const seconds = Math.max(0, Math.round((now - Date.parse(writing_since)) / 1000));
    return `A transaction has been writing for ${seconds} s. The changes of ${waiting} later transactions wait until it ends.`;
  }
  if (waiting === 0) return "Nothing delays the changes.";
  return `The changes of ${waiting} transactions wait for an earlier transaction that is still writing.` +
    (sees_other_sessions ? "" : " The database does not show when it began.");
}

async function showStatus(options: Printing) {
  const { db, rows } = openProject();
  const status = rows(await db.rpc("changes_status")) as unknown as ChangesStatus; // the JSON result of changes_status()
  print(options, status, () => changesStatusText(status, Date.now()));
}

const BUSY =
  "There are too many writes at the moment, so nothing was restarted: repeat the command.";

async function restartChanges(options: Printing) {
  const { db, rows } = openProject();
  const restarted = rows(await db.rpc("restart_changes"), {
    "40P01": BUSY, // a deadlock
    "55P03": BUSY, // a lock could not be acquired in time
    "57014": BUSY, // a statement timed out
  }) as { generation: number };
  print(
    options,
    restarted,
    () =>
      `The changes are now in generation ${restarted.generation}. Callers with an earlier ` +
      "cursor get a 410 cursor_expired, and read everything again.",
  );
}
