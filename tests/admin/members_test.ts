import assert from "node:assert/strict";
import { mailsTo } from "../support/mails.ts";
import { newPerson, signIn } from "../support/people.ts";
import { enrolled } from "../support/second_factor.ts";
import { stack, statement } from "../support/test_stack.ts";
import { admin, bareCompany, json, printed } from "./command.ts";

/** Creates a user who has signed up, and returns the email address. */
async function person(): Promise<string> {
  const email = anyEmail();
  await signUp(email);
  return email;
}

const anyEmail = () => `${crypto.randomUUID()}@people.example`;

async function signUp(email: string, confirmedAt: Date | null = new Date()) {
  await statement`
    insert into auth.users (id, email, email_confirmed_at) values (gen_random_uuid(), ${email}, ${confirmedAt})
  `;
}

function member(command: string, company: string, email: string, ...more: string[]): string[] {
  return ["member", command, "--company", company, "--email", email, ...more];
}

/** The error message of a command that fails. */
async function failed(args: string[], env: Record<string, string | undefined> = {}) {
  const { code, stdout, stderr } = await admin(args, { env });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  return stderr;
}

Deno.test("a member can be added, listed, given another role and removed", async () => {
  const [company, owner, agent] = [await bareCompany(), await person(), await person()];
  const none = await printed(["member", "list", "--company", company]);
  assert.match(none, /^No one works in this company yet: npm run admin -- member add /);

  assert.equal(await printed(member("add", company, agent)), `Added ${agent} as agent.\n`);
  const named = ["--role", "owner", "--name", "Ada"];
  const added = await json(member("add", company, owner.toUpperCase(), ...named));
  assert.deepEqual(
    [added.email, added.name, added.role, added.invited],
    [owner, "Ada", "owner", false],
  );
  const [header, ...lines] = (await printed(["member", "list", "--company", company])).split("\n");
  assert.match(header, /^ROLE +NAME +E-MAIL +SINCE +ID$/);
  assert.match(lines[0], new RegExp(`^owner +Ada +${owner} +\\d{4}-.* UTC +[0-9a-f-]{36}$`));
  assert.match(lines[1], new RegExp(`^agent +${agent} `));

  const changed = await printed(member("role", company, agent, "--role", "admin"));
  assert.equal(changed, `${agent} is now admin.\n`);
  const only = "This is the only owner of the company: make another member owner first.\n";
  assert.equal(await failed(member("remove", company, owner)), only);
  assert.equal(await failed(member("role", company, owner, "--role", "agent")), only);
  const removed = await printed(member("remove", company, agent));
  assert.equal(removed, `Removed ${agent}, who was admin.\n`);
  const list = await json(["member", "list", "--company", company]);
  assert.deepEqual(list, [{ ...list[0], email: owner, role: "owner" }]);
  assert.deepEqual(Object.keys(list[0]), [
    ...["company_id", "user_id", "email", "name", "role", "created_at"],
  ]);
});

Deno.test("a failed command says whether the company or the user is unknown, or whether the user is already a member", async () => {
  const [company, email] = [await bareCompany(), await person()];
  const [nobody, stranger] = [anyEmail(), anyEmail()];
  await signUp(stranger, null);
  const unknown = crypto.randomUUID();
  await printed(member("add", company, email));
  const noCompany =
    `No company has the id ${unknown}: npm run admin -- company list shows the ids.\n`;
  const cases: [string[], string][] = [
    [member("add", unknown, email), noCompany],
    [member("add", unknown, nobody, "--invite"), noCompany],
    [member("role", unknown, email, "--role", "admin"), noCompany],
    [member("remove", unknown, email), noCompany],
    [["member", "list", "--company", unknown], noCompany],
    [
      member("add", company, nobody),
      `No one has signed up as ${nobody}: add --invite to invite this person by e-mail.\n`,
    ],
    [
      member("add", company, email),
      `${email} already works in this company: npm run admin -- member role changes the role.\n`,
    ],
    [
      member("add", company, stranger, "--invite"),
      `A person has signed up as ${stranger} but has not confirmed the address. Wait for the ` +
      "confirmation. If the address belongs to someone else, delete the account in Supabase Auth and add --invite.\n",
    ],
    ...["remove", "role"].map((command): [string[], string] => [
      member(command, company, nobody, ...(command === "role" ? ["--role", "admin"] : [])),
      `${nobody} does not work in this company: npm run admin -- member list shows who does.\n`,
    ]),
  ];
  // The command checks the name before it sends any invitation.
  cases.push([
    member("add", company, nobody, "--invite", "--name", "A\u200bda"),
    "The name of a member has no blank at either end, and no line breaks, control characters or invisible " +
    "characters.\n",
  ]);
  for (const [args, sentence] of cases) assert.equal(await failed(args), sentence, args.join(" "));

  const names = ["", "x".repeat(101)].map((name) => ["--name", name]);
  for (const wrong of [["--email", "ada"], ["--role", "boss"], ["--invite", "ftp://x"], ...names]) {
    const { code, stderr } = await admin([...member("add", company, email), ...wrong]);
    assert.equal(code, 2);
    assert.match(stderr, /^error: option '--\w+ [<[]\w+[>\]]' argument '.*' is invalid\. It must /);
  }
});

/**
 * A server in front of the stack. `answer` responds to invitations, and all other requests are
 * forwarded to the stack.
 */
function withInvitations(answer: (invited: { email: string; url: URL }) => Promise<Response>) {
  const server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
    const url = new URL(request.url);
    if (url.pathname !== "/auth/v1/invite") {
      const { method, headers } = request;
      const body = await request.text() || undefined;
      return await fetch(stack.url + url.pathname + url.search, { method, headers, body });
    }
    assert.equal(request.headers.get("authorization"), `Bearer ${stack.secret_key}`);
    return await answer({ email: (await request.json()).email, url });
  });
  return {
    env: {
      STACK_FILE: undefined,
      SUPABASE_URL: `http://127.0.0.1:${server.addr.port}`,
      SUPABASE_SECRET_KEY: stack.secret_key,
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("if a removal takes too long, `member remove` names the page that describes the removal", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ code: "PT503", message: "The removal took too long" }, { status: 503 }),
  );
  const said = await failed(member("remove", crypto.randomUUID(), "ada@example.com"), {
    SUPABASE_URL: `http://127.0.0.1:${server.addr.port}`,
    SUPABASE_SECRET_KEY: "sb_secret_x",
  });
  assert.equal(
    said,
    "The removal of ada@example.com took too long, so nothing was changed. Very many conversations may be assigned " +
      'to the person: see "Removing a person with very many conversations" in docs/operating.md.\n',
  );
});

Deno.test("a person who has not signed up is invited and becomes a member, and the operator can choose the page that the invitation link opens", async () => {
  const company = await bareCompany();
  const invited: [string, string | null][] = [];
  await using project = withInvitations(async ({ email, url }) => {
    invited.push([email, url.searchParams.get("redirect_to")]);
    await signUp(email);
    return Response.json({ id: crypto.randomUUID(), email });
  });
  const [ada, eve, known] = [anyEmail(), anyEmail(), await person()];
  const page = "https://crm.example.com/settings/";
  const added = [
    await admin(member("add", company, ada, "--role", "owner", "--invite"), project),
    await admin(member("add", company, eve, "--invite", page), project),
    await admin(member("add", company, known, "--invite"), project),
  ];
  const invitation = " An invitation is on its way, with a link to sign in.";
  assert.deepEqual(added.map(({ stdout, stderr }) => stdout + stderr), [
    `Added ${ada} as owner.${invitation}\n`,
    `Added ${eve} as agent.${invitation}\n`,
    `Added ${known} as agent.\n`,
  ]);
  assert.deepEqual(invited, [[ada, null], [eve, page]]);
});

Deno.test("if an invitation fails, the command explains why and adds no member; a person who signed up in the meantime is still added", async () => {
  const company = await bareCompany();
  const limited = { code: "over_email_send_rate_limit", msg: "email rate limit exceeded" };
  const none =
    / was not invited and not added: http:\S+ sends no invitations, so it is not Supabase Auth\.\n$/;
  const answers: [Response | null, RegExp][] = [
    [
      Response.json(limited, { status: 429 }),
      / was not invited and not added: email rate limit exceeded\.\n$/,
    ],
    [new Response("Not found", { status: 404 }), none],
    [Response.json({}, { status: 404 }), none],
    [null, /^Added \S+ as agent\.\n$/],
  ];
  for (const [answer, expected] of answers) {
    await using project = withInvitations(async ({ email }) => {
      if (answer) return answer;
      await signUp(email);
      return Response.json({ code: "email_exists", message: "Registered" }, {
        status: 422,
        headers: { "x-supabase-api-version": "2024-01-01" },
      });
    });
    const { stdout, stderr } = await admin(member("add", company, anyEmail(), "--invite"), project);
    assert.match(stdout + stderr, expected);
  }
  assert.equal((await json(["member", "list", "--company", company])).length, 1);
});

Deno.test("on the local stack, the invitation appears on the page that shows all emails", async () => {
  const [company, email] = [await bareCompany(), anyEmail()];
  await printed(member("add", company, email, "--invite"));
  assert.deepEqual((await mailsTo(email)).map(({ kind }) => kind), ["invite"]);
});

Deno.test("`member reset-factors` removes a user's second factors, and fails if the user has none", async () => {
  const { email, password } = await newPerson({});
  await enrolled((await signIn({ email, password })).client);
  const reset = ["member", "reset-factors", "--email", email];
  assert.match(await printed(reset), /^Removed the second factors of \S+ \(1\) and ended all/);
  const { client } = await signIn({ email, password });
  const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel();
  assert.equal(data!.nextLevel, "aal1");
  assert.match(await failed(reset), /has no second factor/);
  assert.match(await failed([...reset.slice(0, 3), anyEmail()]), /^No one has signed up as/);
});
