import { html, type TemplateResult } from "lit-html";
import type { App } from "./app.ts";
import { sentenceOf } from "./failure.ts";
import { loading } from "./pieces/loading.ts";
import type { Part } from "./view.ts";

/** A separately loaded part of a view. If the part cannot be loaded, the rest still works. */
export class HeldPart {
  private state: "loading" | "loaded" | "failed" = "loading";
  private failure: unknown = null;

  constructor(private readonly part: Part) {}

  /**
   * Loads the part. The first time, the page shows the progress. Later, it shows the earlier
   * content until the new content is loaded.
   */
  async load(app: App): Promise<void> {
    if (this.state !== "loaded") this.state = "loading";
    try {
      await this.part.load(app);
      this.state = "loaded";
    } catch (error) {
      this.failure = error;
      this.state = "failed";
    }
    app.render();
  }

  html(app: App): TemplateResult {
    const { t } = app;
    if (this.state === "loaded") return this.part.html(app);
    if (this.state === "loading") return loading(t);
    const again = () => {
      this.load(app);
      app.render();
    };
    return html`
      <div role="alert">
        <p class="failure">${sentenceOf(this.failure, t)}</p>
      </div>
      <p class="buttons"><button type="button" @click=${again}>${t.frame.tryAgain}</button></p>
    `;
  }
}
