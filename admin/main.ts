// `npm run admin`, the operator's command: companies, API keys, messaging accounts, secrets.
import { runCommand } from "./run.ts";

Deno.exitCode = await runCommand(Deno.args);
