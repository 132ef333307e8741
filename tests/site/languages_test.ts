// Tests that the code examples on the site send the same requests in every language.
import assert from "node:assert/strict";
import { requestsOf } from "../../site/shell_requests.ts";
import { translationsOf } from "../../site/translated.ts";
import { readPages } from "../docs/pages.ts";
import { PYTHON } from "../support/programs.ts";

/** The headers that the examples set. */
const HEADERS = ["authorization", "content-type", "if-match", "if-none-match", "idempotency-key"];

/** The part of the Python library `requests` that the examples use. */
const REQUESTS_MODULE = `
import json, urllib.parse, urllib.request

class Answer:
    def __init__(self, answer):
        self.status_code, self.body = answer.status, answer.read()
    def json(self):
        return json.loads(self.body)

def sender(method):
    def send(url, params=None, headers=None, json=None, data=None):
        if params: url += "?" + urllib.parse.urlencode(params)
        headers = {"Content-Type": "application/json", **(headers or {})} if json else headers or {}
        body = globals()["json"].dumps(json).encode() if json else data.encode() if data else None
        return Answer(urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method)))
    return send

get, post, put, patch, delete = map(sender, ["GET", "POST", "PUT", "PATCH", "DELETE"])
`;

/** For each language, the command that runs the example code without its pauses. */
const RUNNERS: Record<string, (text: string) => string[]> = {
  // A shell line that prints a response may fail, because the test's responses have few fields.
  curl: (text) => [
    ...["bash", "-uc"],
    `sleep() { :; }\n${text.replaceAll(/^export .*$/gm, "")}\ntrue`,
  ],
  // As in a shell, a variable is available in all later code blocks of the page.
  JavaScript: (text) => [
    ...["node", "--input-type=module", "-e"],
    text.replaceAll(/^(?:const|let) /gm, "globalThis.").replaceAll(/(?<=resolve, )\d+/g, "0"),
  ],
  Python: (text) => [PYTHON!, "-c", `import time\ntime.sleep = lambda _: None\n${text}`],
};

Deno.test(
  "every example sends the same requests in every language",
  { ignore: !PYTHON },
  async () => {
    const sent: unknown[] = [];
    await using server = Deno.serve({ port: 0, onListen: () => {} }, async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const text = await request.text();
      const isJson = /^[[{]/.test(text) && text.endsWith("}");
      sent.push({
        method: request.method,
        pathname,
        query: Array.from(searchParams),
        headers: HEADERS.map((name) =>
          text || name !== "content-type" ? request.headers.get(name) : null
        ),
        body: isJson ? JSON.parse(text) : text,
      });
      const row = {
        ...{ id: `row-${sent.length}`, version: sent.length },
        stages: [{ id: `stage-${sent.length}` }],
      };
      const data = request.method === "GET" && /s$/.test(pathname) ? [row] : row;
      return Response.json({ data, pagination: { next_cursor: `cursor-${sent.length}` } });
    });
    const host = `127.0.0.1:${server.addr.port}`;
    const modules = await Deno.makeTempDir({ prefix: "crm-requests-" });
    await Deno.writeTextFile(`${modules}/requests.py`, REQUESTS_MODULE);
    const env = { CRM_API_URL: `http://${host}`, CRM_API_KEY: "key", PYTHONPATH: modules };
    let examples = 0;
    for (const { path, blocks } of await readPages()) {
      const texts: Record<string, string> = { curl: "", JavaScript: "", Python: "" };
      for (const { language, text } of blocks) {
        const steps = language === "sh" ? requestsOf(text) : null;
        if (!steps) continue;
        examples++;
        texts.curl += text;
        for (const { name, text } of translationsOf(steps)) texts[name] += text;
      }
      if (texts.curl === "") continue;
      const sentIn: Record<string, unknown[]> = {};
      for (const [language, text] of Object.entries(texts)) {
        sent.length = 0;
        // Replaces the URLs of the local stack and of a sandbox that runs without a stack.
        const here = text.replaceAll(/127\.0\.0\.1:543(?:21|30)\b/g, host);
        const [command, ...args] = RUNNERS[language](here);
        const { success, stderr } = await new Deno.Command(command, { args, env, cwd: modules })
          .output();
        assert.ok(success, `${path} in ${language}: ${new TextDecoder().decode(stderr)}`);
        sentIn[language] = [...sent];
      }
      assert.deepEqual(sentIn.JavaScript, sentIn.curl, path);
      assert.deepEqual(sentIn.Python, sentIn.curl, path);
    }
    await Deno.remove(modules, { recursive: true });
    assert.ok(examples > 70);
  },
);
