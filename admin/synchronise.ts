import type { ChannelConfig } from "../supabase/functions/_shared/channel/channel_config.ts";
import type { JobOutcome } from "../supabase/functions/_shared/templates/account_job.ts";
import {
  type Synchronisation,
  syncTemplates,
} from "../supabase/functions/_shared/templates/template_sync.ts";
import type { Project } from "./project.ts";

/**
 * Reads an account's templates and uploads all media that is due. A failure is returned, not
 * thrown.
 */
export async function synchronise(
  { db, credentialsKeys }: Project,
  channel: ChannelConfig,
  accountId: string,
): Promise<JobOutcome<Synchronisation>> {
  const keys = credentialsKeys();
  try {
    return await syncTemplates(db, channel, keys, accountId, { untilMs: Infinity });
  } catch (error) {
    return { outcome: "failed", failure: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Describes the result of a synchronisation as part of a sentence: `read 12 templates, uploaded the
 * media of 3`.
 */
export function inWords(ended: JobOutcome<Synchronisation>): string {
  switch (ended.outcome) {
    case "failed":
      return ended.failure;
    case "busy":
      return "another run is reading them now";
    case "no_account":
      return "the account was disconnected in the meantime";
    case "done":
      return doneInWords(ended.result);
  }
}

function doneInWords({ templates, added, changed, removed, media }: Synchronisation): string {
  const counts = { "new": added, changed, "no longer listed": removed };
  const differences = Object.entries(counts)
    .filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`);
  const parts = [
    `read ${templates} ${templates === 1 ? "template" : "templates"}` +
    (differences.length > 0 ? ` (${differences.join(", ")})` : ""),
  ];
  if (media === null) parts.push("their media is uploaded elsewhere or later");
  if (media && media.uploaded > 0) parts.push(`uploaded the media of ${media.uploaded}`);
  for (const { name, language, reason } of media?.failed ?? []) {
    parts.push(`could not upload the media of ${name} in ${language} (${reason})`);
  }
  if (media?.more_failed) parts.push(`and could not upload the media of ${media.more_failed} more`);
  return parts.join(", ");
}
