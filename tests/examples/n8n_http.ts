import { assertDocumented, type PlannedRequest } from "./documented_request.ts";
import { evaluated, type Names } from "./n8n_expressions.ts";
import type { ParametersOf } from "./n8n_parameters.ts";
import type { WorkflowNode } from "./n8n_workflow.ts";

/** A node that makes HTTP requests. */
export type HttpNode = WorkflowNode & { parameters: ParametersOf<"httpRequest 4.2"> };

// deno-lint-ignore no-explicit-any -- the body of an answer is any JSON
type Answer = { body: any; headers: Record<string, string>; statusCode: number };

/**
 * The items that a node makes from one item: an answer for each page. openapi.json must describe
 * each request.
 * @throws Error if the answer is still an error after the node's tries and the node does not accept
 * errors.
 */
export async function requested(
  node: HttpNode,
  names: Names,
  base: string,
  key: string,
): Promise<Record<string, unknown>[]> {
  const { maxTries = 1 } = node;
  for (let attempt = 1;; attempt++) {
    try {
      return await pagesOf(node, names, base, key);
    } catch (error) {
      // A request that openapi.json does not describe is an error of the workflow. n8n waits before
      // it tries again.
      if (attempt >= maxTries || !(error instanceof Refused)) throw error;
    }
  }
}

class Refused extends Error {}

async function pagesOf(node: HttpNode, names: Names, base: string, key: string) {
  const { options, ...parameters } = node.parameters;
  const { pagination: { pagination } = {}, response } = options;
  const planned = plannedBy(evaluated(parameters, names) as typeof parameters, key);
  const answers: Answer[] = [];
  let isComplete = false;
  while (!isComplete) {
    // The first page uses the URL of the node, because the expression for the next URL has no value
    // yet.
    const $response = answers.at(-1) ?? {};
    const next = pagination && evaluated(pagination.nextURL, { ...names, $response });
    const answer = await answered({ ...planned, url: next ? String(next) : planned.url }, base);
    answers.push(answer);
    if (answer.statusCode >= 300 && !response) {
      throw new Refused(`${node.name}: ${answer.statusCode} ${JSON.stringify(answer.body)}`);
    }
    isComplete = !pagination || answers.length >= pagination.maxRequests ||
      evaluated(pagination.completeExpression, { ...names, $response: answer }) === true;
  }
  return response ? answers : answers.map(({ body }) => body);
}

function plannedBy(
  { method = "GET", url, queryParameters, headerParameters, jsonBody }: Omit<
    ParametersOf<"httpRequest 4.2">,
    "options"
  >,
  key: string,
): PlannedRequest {
  const pairs = (of?: { parameters: { name: string; value: string }[] }) =>
    (of?.parameters ?? []).map(({ name, value }): [string, string] => [name, value]);
  const query = new URLSearchParams(pairs(queryParameters)).toString();
  return {
    method,
    url: query ? `${url}?${query}` : url,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(jsonBody && { "Content-Type": "application/json" }),
      ...Object.fromEntries(pairs(headerParameters)),
    },
    body: jsonBody,
  };
}

async function answered(planned: PlannedRequest, base: string): Promise<Answer> {
  assertDocumented(planned, base);
  const { url, method, headers, body } = planned;
  const response = await fetch(url, { method, headers, body });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.json(),
  };
}
