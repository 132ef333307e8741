// `npm run admin`, the operator's command. It manages companies, API keys, messaging accounts and
// secrets.
import "../local/direct_requests.ts";
import { runCommand } from "./run.ts";

Deno.exitCode = await runCommand(Deno.args);
