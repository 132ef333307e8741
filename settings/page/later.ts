import { Failure } from "./failure.ts";
import type { Part } from "./view.ts";

/** A part or a view whose script is loaded when somebody comes to it. */
export function later(script: () => Promise<Part>): Part {
  let part: Part | null = null;
  return {
    async load(app) {
      part ??= await script().catch((error) => {
        throw new Failure("offline", String(error));
      });
      await part.load(app);
    },
    html: (app) => part!.html(app),
  };
}
