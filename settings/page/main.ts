// Starts the settings page in the element #page.
import { render } from "lit-html";
import { loadConfig } from "./page_config.ts";
import { startFault } from "./frame.ts";
import { takeLink } from "./link.ts";
import { Page } from "./page.ts";
import { openProject } from "./project.ts";
import { loadTexts, usualLanguage } from "./texts.ts";

const root = document.getElementById("page")!;
const language = usualLanguage();

try {
  const [t, config] = await Promise.all([loadTexts(language), loadConfig()]);
  await new Page(root, openProject(config), language, t, takeLink()).start();
} catch (error) {
  render(startFault(error, await loadTexts(language).catch(() => null)), root);
}
