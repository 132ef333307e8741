// Replays n8n workflows in n8n's execution order v1. n8n itself is not installed.
import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import { evaluated, type Names, ran } from "./n8n_expressions.ts";
import { type HttpNode, requested } from "./n8n_http.ts";
import { type Kind, PARAMETERS, type ParametersOf } from "./n8n_parameters.ts";
import { DataTables } from "./n8n_tables.ts";
import type { Workflow, WorkflowNode } from "./n8n_workflow.ts";

// deno-lint-ignore no-explicit-any -- nodes pass on arbitrary JSON
type Json = Record<string, any>;

/** The data that a node passes on to the next node. */
export interface Item {
  json: Json;
  /** The binary data `data`: the body that the node Webhook received, or a downloaded file. */
  body?: Uint8Array<ArrayBuffer>;
  /** The items from which this item was made, by the names of their nodes. */
  from: Map<string, Item>;
}

/** A replay that exceeds this number of steps is in an endless loop. */
const MOST_STEPS = 200;

/** A workflow with the data that n8n keeps for the workflow between two runs. */
export class N8nRunner {
  /** The workflow's static data. */
  staticData: Json = {};
  readonly tables: DataTables;
  /** The values that the node Remove Duplicates has seen in all runs. */
  #seen = new Set<unknown>();
  #workflow: Workflow;
  #settings: Json;
  #key: string;

  /**
   * @param settings the values that replace those in the node Settings, such as `crm_api_url`.
   * @param key the API key in the credential.
   * @throws Error if a node's type or one of its parameters is unknown. The message names the node.
   */
  constructor(workflow: Workflow, settings: Json, key: string, tables = new DataTables({})) {
    for (const node of workflow.nodes) parametersOf(node, kindOf(node));
    this.#workflow = workflow;
    this.#settings = settings;
    this.#key = key;
    this.tables = tables;
  }

  /**
   * Runs the workflow from its trigger. Returns the items from each node's last run, by node name.
   * @param request the headers, in lower case, and the body that the node Webhook receives.
   * @throws the error that stops the workflow.
   */
  async run(
    request: { json: Json; body?: Uint8Array<ArrayBuffer> } = { json: {} },
  ): Promise<Record<string, Item[]>> {
    const trigger = this.#workflow.nodes.find(({ type }) => /(Trigger|\.webhook)$/.test(type))!;
    const stack = [{ node: trigger, items: [{ ...request, from: new Map() } as Item] }];
    const runs = new Map<string, Item[][]>();
    for (let step = 0; stack.length > 0; step++) {
      if (step > MOST_STEPS) throw new Error("The workflow does not end.");
      const { node, items } = stack.shift()!;
      const outputs = await this.#executed(node, items, runs);
      const all = outputs.flat();
      runs.set(node.name, [...runs.get(node.name) ?? [], all]);
      // A branch ends before the branch below it begins. A node without input items does not run.
      const next = outputs.flatMap((output, index) =>
        output.length === 0 ? [] : this.#after(node, index).map((node) => ({ node, items: output }))
      );
      stack.unshift(...next.sort((one, other) => place(one.node) - place(other.node)));
    }
    return Object.fromEntries(Array.from(runs, ([name, each]) => [name, each.at(-1)!]));
  }

  #after({ name }: WorkflowNode, output: number): WorkflowNode[] {
    const links = this.#workflow.connections[name]?.main[output] ?? [];
    return links.map((link) => this.#workflow.nodes.find((each) => each.name === link.node)!);
  }

  /** The outputs of a node, each with a list of items. */
  async #executed(
    node: WorkflowNode,
    items: Item[],
    runs: Map<string, Item[][]>,
  ): Promise<Item[][]> {
    const namesOf = (item: Item) => this.#names(item, items, runs, node);
    const next = (item: Item, json: Json): Item => {
      const made: Item = { json, from: new Map(item.from) };
      made.from.set(node.name, made);
      return made;
    };
    const values = <Name extends Kind>(kind: Name, item: Item) =>
      evaluated(parametersOf(node, kind), namesOf(item)) as ParametersOf<Name>;
    const kind = kindOf(node);
    switch (kind) {
      case "manualTrigger 1":
      case "scheduleTrigger 1.2":
      case "noOp 1":
      case "respondToWebhook 1.1":
      case "wait 1.1": // a replay does not wait
      case "webhook 2":
        return [items.map((item) => ({ ...next(item, item.json), body: item.body }))];
      case "removeDuplicates 2":
        return [items.filter((item) => {
          const { dedupeValue } = values(kind, item);
          return this.#seen.size < this.#seen.add(dedupeValue).size;
        })];
      case "set 3.4":
        return [items.map((item) => next(item, this.#set(node, values(kind, item))))];
      case "if 2.2": {
        const holds = items.map((item) => holdsAll(node, values(kind, item)));
        const branch = (wanted: boolean) => items.filter((_, at) => holds[at] === wanted);
        return [branch(true), branch(false)].map((each) =>
          each.map((item) => next(item, item.json))
        );
      }
      case "splitOut 1":
        return [items.flatMap((item) => {
          const { fieldToSplitOut } = values(kind, item);
          const rows = fieldToSplitOut.split(".").reduce((json, name) => json?.[name], item.json);
          if (!Array.isArray(rows)) throw new Error(`${node.name}: no list ${fieldToSplitOut}`);
          return rows.map((row) => next(item, row));
        })];
      case "code 2": {
        const { jsCode } = parametersOf(node, kind);
        const made = await ran(jsCode, {
          ...namesOf(items[0]),
          $input: { all: () => items, first: () => items[0] },
          $getWorkflowStaticData: () => this.staticData,
          require: createRequire(import.meta.url),
          Buffer,
        }, { helpers: { getBinaryDataBuffer: () => Buffer.from(items[0].body!) } });
        if (!Array.isArray(made)) throw new Error(`${node.name} does not return a list of items`);
        return [made.map(({ json }) => next(items[0], json))];
      }
      case "stopAndError 1":
        throw new Error(values(kind, items[0]).errorMessage);
      case "dataTable 1.1":
        return [
          items.flatMap((item) =>
            this.tables.apply(values(kind, item)).map((row) => next(item, row))
          ),
        ];
      case "httpRequest 4.2": {
        const made: Item[] = [];
        for (const item of items) {
          const raw = node as HttpNode;
          const { crm_api_url } = this.#settings;
          const names = namesOf(item);
          const answers = await requested(raw, names, crm_api_url, this.#key, item.body);
          made.push(...answers.map(({ json, body }) => ({ ...next(item, json), body })));
        }
        return [made];
      }
      case "stickyNote 1":
        throw new Error("A sticky note is not a step.");
    }
  }

  #set(node: WorkflowNode, { assignments: { assignments } }: ParametersOf<"set 3.4">): Json {
    const json: Json = {};
    for (const { name, value, type } of assignments) {
      // deno-lint-ignore valid-typeof -- n8n uses the names of JavaScript's types
      if (typeof value !== type) throw new Error(`${node.name}: ${name} is not a ${type}`);
      json[name] = value;
    }
    if (node.name !== "Settings") return json;
    const other = Object.keys(this.#settings).find((name) => !(name in json));
    if (other) throw new Error(`Settings has no ${other}`);
    return { ...json, ...this.#settings };
  }

  /** The variables that a node's expressions may use. */
  #names(item: Item, items: Item[], runs: Map<string, Item[][]>, node: WorkflowNode): Names {
    return {
      $json: item.json,
      $input: { all: () => items, first: () => items[0], item },
      $runIndex: runs.get(node.name)?.length ?? 0,
      $: (name: string) => {
        const found = runs.get(name)?.at(-1);
        if (!found) throw new Error(`${name} has not run`);
        return {
          all: () => found,
          first: () => found[0],
          get item() {
            const origin = item.from.get(name);
            if (!origin) throw new Error(`no item of ${name} leads to this one`);
            return origin;
          },
        };
      },
    };
  }
}

/** The type of a node. @throws Error if the runner does not know the node type. */
function kindOf({ name, type, typeVersion }: WorkflowNode): Kind {
  const kind = `${type.replace("n8n-nodes-base.", "")} ${typeVersion}`;
  if (!(kind in PARAMETERS)) throw new Error(`${name} is of an unknown kind: ${kind}`);
  return kind as Kind;
}

/**
 * The parameters of a node, with their expressions.
 * @throws Error if a parameter is invalid. The message names the node and the parameter.
 */
function parametersOf<Name extends Kind>(node: WorkflowNode, kind: Name): ParametersOf<Name> {
  const { success, data, error } = PARAMETERS[kind].safeParse(node.parameters);
  if (!success) throw new Error(`${node.name}: ${error.message}`);
  return data as ParametersOf<Name>;
}

/** The sort position of a node. Branches run from top to bottom and from left to right. */
function place({ position: [x, y] }: WorkflowNode): number {
  return y * 1e6 + x;
}

function holdsAll(node: WorkflowNode, { conditions }: ParametersOf<"if 2.2">): boolean {
  return conditions.conditions.every(({ leftValue: left, rightValue: right, operator }) => {
    // Compares values as n8n does with strict type validation.
    // deno-lint-ignore valid-typeof -- n8n uses the names of JavaScript's types
    if (typeof left !== operator.type) {
      throw new Error(`${node.name}: ${left} is not a ${operator.type}`);
    }
    if (operator.type === "boolean") return left;
    return operator.operation === "equals" ? left === right : left < right;
  });
}
