import { root } from "../../local/checkout.ts";

/** Puts the client into a folder as `npm install` does, so that programs there import it by its name. */
export async function buildClientInto(folder: string): Promise<void> {
  const to = `${folder}/node_modules/@crm-messaging/client`;
  await Deno.mkdir(to, { recursive: true });
  await Deno.copyFile(`${root}client/package.json`, `${to}/package.json`);
  const { success, stdout } = await new Deno.Command("node", {
    args: [
      `${root}tools/node_modules/typescript/bin/tsc`,
      ...["-p", `${root}client`, "--outDir", `${to}/dist`],
      // Its types are checked elsewhere.
      ...["--noCheck", "--declaration", "false", "--isolatedDeclarations", "false"],
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stdout));
}
