// Tests docs/webhooks.md: its programs verify the service's signatures, and its lists are complete.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { newSecret, sign } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { BUN, folderWithClient } from "../support/built_client.ts";
import { firstInPath, PYTHON } from "../support/programs.ts";
import { withFolder } from "../support/started.ts";
import { readPage } from "./pages.ts";

const page = await readPage("docs/webhooks.md");

/**
 * How to run the verification function of one language. The program runs in a folder with
 * `request.json` and prints the results.
 */
interface Language {
  fence: string;
  program: string | null;
  /** The files by name. `{code}` is replaced by the code on the page. */
  files: Record<string, string>;
  args: string[];
  needsClient?: true;
}

const LANGUAGES: Record<string, Language> = {
  TypeScript: {
    fence: "ts",
    program: BUN,
    files: {
      "run.ts": `{code}
        import { readFileSync } from "node:fs";
        const { secret, requests } = JSON.parse(readFileSync("request.json", "utf8"));
        for (const { headers, body } of requests) {
          const request = new Request("http://127.0.0.1/", { method: "POST", headers, body });
          const { status } = await receive(request, secret).catch(() => ({ status: 400 }));
          if (status === 204 || status === 400) console.log(status === 204);
        }`,
    },
    args: ["run.ts"],
    needsClient: true,
  },
  Python: {
    fence: "python",
    program: PYTHON,
    files: {
      "run.py": `{code}
import json
given = json.load(open("request.json"))
for request in given["requests"]:
    print(str(verify(given["secret"], request["headers"], request["body"].encode())).lower())
`,
    },
    args: ["run.py"],
  },
  PHP: {
    fence: "php",
    program: firstInPath(["php"]),
    files: {
      "run.php": `<?php
{code}
$given = json_decode(file_get_contents('request.json'), true);
foreach ($given['requests'] as $request) {
    echo json_encode(verify($given['secret'], $request['headers'], $request['body'])), "\\n";
}
`,
    },
    args: ["run.php"],
  },
  Go: {
    fence: "go",
    program: firstInPath(["go"]),
    files: {
      "go.mod": "module example.com/verify\n\ngo 1.22\n",
      "webhooks/verify.go": "{code}",
      "main.go": `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/verify/webhooks"
)

func main() {
	var given struct {
		Secret   string
		Requests []struct {
			Headers map[string]string
			Body    string
		}
	}
	text, _ := os.ReadFile("request.json")
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	for _, request := range given.Requests {
		headers := http.Header{}
		for name, value := range request.Headers {
			headers.Set(name, value)
		}
		fmt.Println(webhooks.Verify(given.Secret, headers, []byte(request.Body)))
	}
}
`,
    },
    args: ["run", "."],
  },
};

/** Requests, each with a flag: whether it is a recent delivery that is signed with the secret. */
async function requestsOf(secret: string): Promise<[Record<string, unknown>, boolean][]> {
  const body = '{"id":"evt_1","type":"deal.won","data":{"title":"Ação 🎉"}}';
  const now = Math.floor(Date.now() / 1000);
  const signed = async (secrets: string[], at = now) => ({
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at),
    "webhook-signature": await sign(secrets, "evt_1", at, body),
  });
  const good = await signed([secret]);
  const { "webhook-signature": _, ...unsigned } = good;
  return [
    [{ headers: good, body }, true],
    [{ headers: await signed([newSecret(), secret]), body }, true],
    [{ headers: await signed([secret, newSecret()]), body }, true],
    [{ headers: await signed([newSecret()]), body }, false],
    [{ headers: good, body: `${body} ` }, false],
    [{ headers: { ...good, "webhook-id": "evt_2" }, body }, false],
    [{ headers: { ...good, "webhook-timestamp": String(now - 1) }, body }, false],
    [{ headers: { ...good, "webhook-timestamp": "now" }, body }, false],
    [{ headers: { ...good, "webhook-signature": "v1,x v2" }, body }, false],
    [{ headers: await signed([secret], now - 600), body }, false],
    [{ headers: await signed([secret], now + 600), body }, false],
    [{ headers: unsigned, body }, false],
    [{ headers: {}, body }, false],
  ];
}

for (const [name, { fence, program, files, args, needsClient }] of Object.entries(LANGUAGES)) {
  /** Lets the page's function judge the requests. Returns its answers. */
  const judge = (secret: string, requests: unknown[]) =>
    withFolder(async (folder) => {
      const [{ text: code }, ...others] = page.blocks.filter(({ language }) => language === fence);
      assert.deepEqual(others, []);
      for (const [path, text] of Object.entries(files)) {
        const [, parent] = /^(.*)\//.exec(path) ?? [];
        if (parent) await Deno.mkdir(`${folder}/${parent}`);
        await Deno.writeTextFile(`${folder}/${path}`, text.replace("{code}", () => code));
      }
      if (needsClient) {
        await Deno.symlink(`${await folderWithClient()}/node_modules`, `${folder}/node_modules`);
      }
      await Deno.writeTextFile(`${folder}/request.json`, JSON.stringify({ secret, requests }));
      const { success, stdout, stderr } = await new Deno.Command(program!, { args, cwd: folder })
        .output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const printed = new TextDecoder().decode(stdout).trim().split("\n");
      return printed.filter((line) => /^(true|false)$/.test(line));
    });

  Deno.test({
    name: `the page's ${name} function accepts signed deliveries and refuses all other requests`,
    ignore: program === null,
    fn: async () => {
      const secret = newSecret();
      const requests = await requestsOf(secret);
      assert.deepEqual(
        await judge(secret, requests.map(([request]) => request)),
        requests.map(([, isGood]) => String(isGood)),
      );
    },
  });

  Deno.test({
    name: `the page's ${name} function refuses a request that is signed with an empty key`,
    ignore: program === null,
    fn: async () => {
      const at = Math.floor(Date.now() / 1000);
      const mac = createHmac("sha256", "").update(`evt_1.${at}.{}`).digest("base64");
      const headers = {
        ...{ "webhook-id": "evt_1", "webhook-timestamp": `${at}` },
        "webhook-signature": `v1,${mac}`,
      };
      for (const secret of ["", "whsec_", "whsec_..."]) {
        assert.deepEqual(await judge(secret, [{ headers, body: "{}" }]), ["false"], secret);
      }
    },
  });
}
