import { assertDocumented, type PlannedRequest } from "./documented_request.ts";
import { evaluated, type Names } from "./n8n_expressions.ts";
import type { ParametersOf } from "./n8n_parameters.ts";
import type { WorkflowNode } from "./n8n_workflow.ts";

/** A node that makes HTTP requests. */
export type HttpNode = WorkflowNode & { parameters: ParametersOf<"httpRequest 4.2"> };

// deno-lint-ignore no-explicit-any -- a response body can be any JSON value
type Answer = { body: any; headers: Record<string, string>; statusCode: number };

type File = Uint8Array<ArrayBuffer>;

/** The part of an item that a node makes from a response: the JSON, or the binary data `data`. */
interface Made {
  json: Record<string, unknown>;
  body?: File;
}

/**
 * Makes a node's requests for one item, and returns an item for each page. If the node has a
 * credential, openapi.json must describe each request.
 * @param file the binary data `data` of the item.
 * @throws Error if the last try also returns an error and the node does not accept errors.
 */
export async function requested(
  node: HttpNode,
  names: Names,
  base: string,
  key: string,
  file?: File,
): Promise<Made[]> {
  const { maxTries = 1 } = node;
  for (let attempt = 1;; attempt++) {
    try {
      return await pagesOf(node, names, base, key, file);
    } catch (error) {
      // Only an error response leads to another try. A request that openapi.json does not describe
      // is an error in the workflow. n8n waits before the next try, but a replay does not.
      if (attempt >= maxTries || !(error instanceof Refused)) throw error;
    }
  }
}

class Refused extends Error {}

async function pagesOf(
  node: HttpNode,
  names: Names,
  base: string,
  key: string,
  file?: File,
): Promise<Made[]> {
  const { options, ...parameters } = node.parameters;
  const { pagination: { pagination } = {}, response } = options;
  const planned = plannedBy(evaluated(parameters, names) as typeof parameters, key, file);
  const isFile = response !== undefined && "responseFormat" in response.response;
  const answers: Answer[] = [];
  let isComplete = false;
  while (!isComplete) {
    // The first request uses the node's URL, because the expression for the next URL has no value
    // yet.
    const $response = answers.at(-1) ?? {};
    const next = pagination && evaluated(pagination.nextURL, { ...names, $response });
    const url = next ? String(next) : planned.url;
    if (parameters.authentication) assertDocumented({ ...planned, url }, base);
    const answer = await answered({ ...planned, url }, isFile);
    answers.push(answer);
    if (answer.statusCode >= 300 && (!response || isFile)) {
      throw new Refused(`${node.name}: ${answer.statusCode} ${JSON.stringify(answer.body)}`);
    }
    isComplete = !pagination || answers.length >= pagination.maxRequests ||
      evaluated(pagination.completeExpression, { ...names, $response: answer }) === true;
  }
  if (isFile) return answers.map(({ body }) => ({ json: {}, body }));
  return answers.map((answer) => ({ json: response ? answer : answer.body }));
}

function plannedBy(
  { method = "GET", url, authentication, queryParameters, headerParameters, jsonBody, contentType }:
    Omit<ParametersOf<"httpRequest 4.2">, "options">,
  key: string,
  file?: File,
): PlannedRequest {
  const pairs = (of?: { parameters: { name: string; value: string }[] }) =>
    (of?.parameters ?? []).map(({ name, value }): [string, string] => [name, value]);
  const query = new URLSearchParams(pairs(queryParameters)).toString();
  return {
    method,
    url: query ? `${url}?${query}` : url,
    headers: {
      ...(authentication && { Authorization: `Bearer ${key}` }),
      ...(jsonBody && { "Content-Type": "application/json" }),
      ...Object.fromEntries(pairs(headerParameters)),
    },
    body: contentType ? file! : jsonBody,
  };
}

async function answered(
  { url, method, headers, body }: PlannedRequest,
  isFile: boolean,
): Promise<Answer> {
  const response = await fetch(url, { method, headers, body });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: isFile && response.ok ? await response.bytes() : await response.json(),
  };
}
