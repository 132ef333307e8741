import { z } from "zod";
import { root } from "../../local/checkout.ts";

// The schemas of a workflow file that n8n exports. They refuse unknown members, because a replay
// would ignore these members.

const connection = z.strictObject({
  node: z.string(),
  type: z.literal("main"),
  index: z.literal(0),
});

const node = z.strictObject({
  id: z.guid(),
  name: z.string(),
  type: z.string().startsWith("n8n-nodes-base."),
  typeVersion: z.number(),
  position: z.tuple([z.number(), z.number()]),
  parameters: z.record(z.string(), z.unknown()),
  credentials: z.strictObject({
    // A workflow file never contains an API key. n8n looks for a credential with this name.
    httpBearerAuth: z.strictObject({ id: z.null(), name: z.literal("CRM API key") }),
  }).optional(),
  retryOnFail: z.literal(true).optional(),
  maxTries: z.int().min(2).max(5).optional(),
  waitBetweenTries: z.int().max(5000).optional(),
  notes: z.string().optional(),
  notesInFlow: z.boolean().optional(),
  webhookId: z.guid().optional(),
});

const workflow = z.strictObject({
  name: z.string(),
  nodes: z.array(node),
  connections: z.record(z.string(), z.strictObject({ main: z.array(z.array(connection)) })),
  pinData: z.strictObject({}),
  active: z.literal(false),
  settings: z.strictObject({ executionOrder: z.literal("v1") }),
  meta: z.strictObject({ templateCredsSetupCompleted: z.literal(false) }),
  tags: z.tuple([]),
});

/** A node in a workflow. */
export type WorkflowNode = z.output<typeof node>;
/** An n8n workflow. */
export type Workflow = z.output<typeof workflow>;

/** Reads `examples/n8n/<name>.json`. @throws Error if n8n could not import the workflow. */
export async function readWorkflow(name: string): Promise<Workflow> {
  const text = await Deno.readTextFile(`${root}examples/n8n/${name}.json`);
  const read = workflow.parse(JSON.parse(text));
  const names = read.nodes.map((each) => each.name);
  if (new Set(names).size < names.length) throw new Error("Two nodes have the same name.");
  for (const [from, { main }] of Object.entries(read.connections)) {
    for (const each of [from, ...main.flat().map(({ node }) => node)]) {
      if (!names.includes(each)) throw new Error(`There is no node ${each}.`);
    }
  }
  return read;
}
