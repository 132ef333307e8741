import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { DatabaseError } from "../supabase/functions/_shared/database/rows.ts";
import { applyDueEvents } from "../supabase/functions/whatsapp/events/due_events.ts";
import { progress } from "./progress.ts";
import type { Project } from "./project.ts";

/** The result of a replay. */
export interface Replayed {
  /** The number of events that the replay marked as due. */
  marked: number;
  /**
   * The number of due events that this command applied. The functions' job may have applied other
   * events.
   */
  applied: number;
  /** The number of applied events, by the state that they have afterwards. */
  states: Record<string, number>;
}

/** Selects the events to apply again. The default is all events that are not done. */
export interface Choice {
  states?: string[];
  since?: string;
  app_key?: string;
  event_id?: string;
}

/**
 * Makes events due again, applies events until none is due, and shows the progress. If the
 * command is interrupted, the functions' job applies the remaining events.
 * @throws the errors of `Project.rows`.
 */
export async function replayEvents(project: Project, choice: Choice): Promise<Replayed> {
  const replayed: Replayed = { marked: 0, applied: 0, states: {} };
  const tell = progress();
  try {
    let began_at: string | undefined;
    while (true) {
      const { marked, ...first } = project.rows(
        await project.db.rpc("replay_channel_events", { ...choice, began_at }),
      ) as unknown as { marked: number; began_at: string }; // the jsonb result of replay_channel_events()
      began_at = first.began_at;
      replayed.marked += marked;
      if (marked === 0) break;
    }
    const count = ({ state }: { state: string | null }) => {
      replayed.applied++;
      replayed.states[state ?? "stored"] = (replayed.states[state ?? "stored"] ?? 0) + 1;
      tell(`Applied ${replayed.applied} events`);
    };
    while (await applyDueEvents(project.db, () => false, count));
    return replayed;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { status, error: reported } = error;
    return project.rows({ data: null, error: reported, status } as PostgrestSingleResponse<never>);
  } finally {
    tell("");
  }
}
