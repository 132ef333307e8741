import { Failure } from "./failure.ts";
import type { Part } from "./view.ts";

/** A part or a view whose script is loaded only when a person opens it. */
export function later(script: () => Promise<Part>): Part {
  let part: Part | null = null;
  let hasFailed = false;
  return {
    async load(app) {
      part ??= await script().catch(async (error) => {
        // The page is loaded again, because a browser may remember that a script failed to load,
        // and because a new release has other scripts.
        if (hasFailed && await isReachable()) location.reload();
        hasFailed = true;
        throw new Failure("offline", String(error));
      });
      await part.load(app);
    },
    html: (app) => part!.html(app),
  };
}

/** Whether the page's host answers now. */
async function isReachable(): Promise<boolean> {
  try {
    return (await fetch("config.json", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
