import type { TemplateResult } from "lit-html";
import type { App } from "./app.ts";
import type { Texts } from "./texts.ts";

/**
 * A view: the content between the menu and the end of the page for one path, such as `keys/new`.
 */
export interface View {
  /** The heading, and the first part of the document's title. */
  title(t: Texts): string;
  /**
   * Reads what the view shows. Until then, the page says that it is loading.
   * @throws Failure, which the page shows with a button to try again.
   */
  load(app: App): Promise<void>;
  /** The content below the heading. It is called for each rendering after load(). */
  html(app: App): TemplateResult;
  /** Data that would be lost if the user left the view, such as a key that is shown once. */
  holds?: {
    /** Whether there is something to lose now. */
    isThere(): boolean;
    /** Asks the user whether to leave, and calls leave() if the answer is yes. */
    ask(app: App, leave: () => void): void;
  };
}

/** A part of a view, which loads and shows its own content. */
export type Part = Pick<View, "load" | "html">;
