// Requests the data that the page needs besides its scripts. This file is small, so a browser runs
// it while it still loads the other scripts. On a slow connection, each sequential request takes
// half a second.
import { askEarly } from "./early_companies.ts";
import { loadConfig } from "./page_config.ts";
import { loadTexts, usualLanguage } from "./texts.ts";

// main.ts and project.ts request the same data again, and report a failure.
void loadConfig().catch(() => {});
void loadTexts(usualLanguage()).catch(() => {});
askEarly();
