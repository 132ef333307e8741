// `npm run admin`, the operator's command. It manages companies, API keys, messaging accounts and
// secrets.
import { runCommand } from "./run.ts";

Deno.exitCode = await runCommand(Deno.args);
