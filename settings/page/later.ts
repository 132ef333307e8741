import { Failure } from "./failure.ts";
import type { Section } from "./texts.ts";
import type { App } from "./app.ts";
import type { Part } from "./view.ts";

/** What a view or a part needs besides its script. */
export interface Needs {
  /** The sections of the page's texts: `sends` for texts/en/sends.ts. */
  texts?: readonly Section[];
  /** The style: `sends` for assets/views/sends.css. */
  styles?: readonly string[];
}

/** The files of the styles by name. build.ts inserts this object. */
declare const __STYLES__: Record<string, string>;

/**
 * A part or a view whose script, texts and style are loaded only when a user opens it.
 * @param script for example `async () => (await import("./history.ts")).history()`.
 */
export function later(
  script: () => Promise<Part>,
  { texts = [], styles = [] }: Needs = {},
): Part {
  let part: Part | null = null;
  let hasFailed = false;
  /**
   * All files are requested at the same time, because each sequential request takes half a second
   * on a slow connection.
   */
  const loaded = async (app: App) => {
    const [made] = await Promise.all([
      part ?? script(),
      app.speakOf(texts),
      ...styles.map(loadStyle),
    ]);
    return made;
  };
  return {
    async load(app) {
      part = await loaded(app).catch(async (error) => {
        // At the second failure, the page is loaded again: a browser may remember that a script
        // failed to load, and a new release has other scripts.
        if (hasFailed && await isReachable()) location.reload();
        hasFailed = true;
        throw new Failure("offline", String(error));
      });
      await part.load(app);
    },
    html: (app) => part!.html(app),
  };
}

const styles = new Map<string, Promise<void>>();

/** Loads a style once. The style applies before the view is shown. */
function loadStyle(name: string): Promise<void> {
  const known = styles.get(name);
  if (known) return known;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = __STYLES__[name];
  const loading = new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      styles.delete(name);
      link.remove();
      reject(new Error(`${link.href} did not load`));
    };
  });
  styles.set(name, loading);
  document.head.append(link);
  return loading;
}

/** Whether the page's host responds now. */
async function isReachable(): Promise<boolean> {
  try {
    return (await fetch("config.json", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
