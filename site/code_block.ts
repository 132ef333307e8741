import { highlighted } from "./highlight.ts";
import { type Request, requestsOf } from "./shell_requests.ts";
import { translationsOf } from "./translated.ts";

/** A block of code as HTML, and the requests that it sends. */
export interface CodeBlock {
  html: string;
  requests: Request[];
}

/**
 * Converts a block of code to HTML. For a shell block, the HTML also contains the block's requests
 * in other languages. A script of the page shows them when the reader chooses a language.
 *
 * @returns null if the language is unknown.
 */
export function codeBlock(text: string, language: string): CodeBlock | null {
  const code = highlighted(text, language);
  if (!code) return null;
  const steps = language === "sh" ? requestsOf(text) ?? [] : [];
  const others = steps.length === 0 ? [] : translationsOf(steps);
  const templates = others.map(({ name, language, text }) =>
    `<template data-language="${name}">${highlighted(text, language)!.html}</template>`
  );
  return {
    html: `<div class="code"><span class="language">${code.name}</span>` +
      `<pre tabindex="0"><code>${code.html}</code></pre>${templates.join("")}</div>`,
    requests: steps.filter((step) => "method" in step),
  };
}
