import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import type { Command } from "commander";
import { COMPANY_OPTION, email, memberRole, nameOf, pageAddress } from "./arguments.ts";
import { requireCompany } from "./companies.ts";
import { EXAMPLE_COMPANY, examples } from "./examples.ts";
import { everyRow } from "./lists.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, moment, print, printable, type Printing, table } from "./print.ts";
import { openProject, type Project } from "./project.ts";

/** A member of a company, in the form that the commands print. */
interface Member {
  company_id: string;
  user_id: string;
  email: string | null;
  name: string | null;
  role: string;
  created_at: string;
}

/** The options of commands that concern one member. */
interface Person extends Printing {
  company: string;
  email: string;
}

const ROLES = ["owner", "admin", "agent"];
const EMAIL_OPTION = [
  "--email <address>",
  "the e-mail address that the person signs in with",
  email,
] as const;
const EXAMPLE_PERSON = `--company ${EXAMPLE_COMPANY} --email ada@example.com`;

/** Adds the commands `member add`, `list`, `role`, `remove` and `reset-factors`. */
export function memberCommands(program: Command) {
  const member = program.command("member")
    .description(
      "Manage who works in a company: these people sign in to its settings, where owners and admins manage its API keys.",
    )
    .addHelpText(
      "after",
      examples(
        `npm run admin -- member add ${EXAMPLE_PERSON} --role owner --invite`,
        `npm run admin -- member list --company ${EXAMPLE_COMPANY}`,
      ),
    );

  member.command("add")
    .description("Add a person to a company. --invite also invites a person who has not signed up.")
    .usage("--company <id> --email <address> [options]")
    .requiredOption(...COMPANY_OPTION)
    .requiredOption(...EMAIL_OPTION)
    .option(
      "--role <role>",
      "owner, admin or agent; owners and admins manage API keys",
      memberRole,
      "agent",
    )
    .option("--name <n>", "the person's name in the company", nameOf(100))
    .option(
      "--invite [url]",
      "invite a person who has not signed up; the link leads to this page, which the project must allow as a " +
        "redirect (default: the project's Site URL)",
      pageAddress,
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        `npm run admin -- member add ${EXAMPLE_PERSON}`,
        `npm run admin -- member add ${EXAMPLE_PERSON} --name "Ada" --role owner --invite`,
      ),
    )
    .action(addMember);

  member.command("list")
    .description("List who works in a company: owners first, then admins, then agents.")
    .usage("--company <id> [options]")
    .requiredOption(...COMPANY_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- member list --company ${EXAMPLE_COMPANY}`))
    .action(listMembers);

  member.command("role")
    .description("Give a member another role. The last owner of a company keeps the role.")
    .usage("--company <id> --email <address> --role <role> [options]")
    .requiredOption(...COMPANY_OPTION)
    .requiredOption(...EMAIL_OPTION)
    .requiredOption("--role <role>", "owner, admin or agent", memberRole)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- member role ${EXAMPLE_PERSON} --role admin`))
    .action(changeRole);

  member.command("remove")
    .description(
      "Remove a person from a company. The person can still sign in, but sees no data of the " +
        "company. The last owner of a company cannot be removed.",
    )
    .usage("--company <id> --email <address> [options]")
    .requiredOption(...COMPANY_OPTION)
    .requiredOption(...EMAIL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- member remove ${EXAMPLE_PERSON}`))
    .action(removeMember);

  member.command("reset-factors")
    .description(
      "Remove the second factors of a person, for example after the loss of a phone, and end all " +
        "sessions of the person. First make sure who is asking: afterwards, everyone who knows " +
        "the password can sign in.",
    )
    .usage("--email <address> [options]")
    .requiredOption(...EMAIL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", examples("npm run admin -- member reset-factors --email ada@example.com"))
    .action(resetFactors);
}

async function addMember(
  { company, email, role, name, invite, ...options }: Person & {
    role: string;
    name?: string;
    /** The page that an invitation link opens. True means the project's Site URL. */
    invite?: string | true;
  },
) {
  const project = openProject();
  const add = () =>
    project.db.rpc("add_company_member", { company_id: company, email, role, name });
  let answer = await add();
  let isInvited = false;
  if (answer.error?.code === "PT404") {
    await requireCompany(project, company);
    if (!invite) {
      throw new OperatorError(
        `No one has signed up as ${email}: add --invite to invite this person by e-mail.`,
      );
    }
    isInvited = await inviteByEmail(project, email, invite === true ? undefined : invite);
    answer = await add();
  }
  const member = project.rows(answer as PostgrestSingleResponse<Member>, {
    PT409: notAdded(email, answer.error?.message ?? ""),
  });
  print(options, { ...member, invited: isInvited }, () =>
    `Added ${called(member)} as ${role}.` +
    (isInvited ? " An invitation is on its way, with a link to sign in." : ""));
}

/** Explains why a user who exists in Supabase Auth was not added, and what to do. */
function notAdded(email: string, reason: string): string {
  if (reason.startsWith("Several")) {
    return `Several people have signed up as ${email}: delete all but one of them in Supabase Auth.`;
  }
  if (reason.includes("not confirmed")) {
    return `A person has signed up as ${email} but has not confirmed the address. Wait for ` +
      "the confirmation. If the address belongs to someone else, delete the account in Supabase " +
      "Auth and add --invite.";
  }
  return `${email} already works in this company: npm run admin -- member role changes the role.`;
}

/**
 * Asks Supabase Auth to invite a user by e-mail.
 * @returns false when the user has signed up in the meantime, otherwise true.
 * @throws OperatorError when no invitation was sent.
 */
async function inviteByEmail(
  { db, url }: Project,
  email: string,
  redirectTo: string | undefined,
): Promise<boolean> {
  const { error } = await db.auth.admin.inviteUserByEmail(email, { redirectTo });
  if (!error) return true;
  if (error.code === "email_exists") return false;
  // The Data API has already accepted the secret key. A server that refuses the key here is
  // therefore not Supabase Auth, and its response may not be JSON.
  const isOther = error.name === "AuthUnknownError" || [401, 404].includes(error.status ?? 0);
  const reason = isOther
    ? `${url} sends no invitations, so it is not Supabase Auth`
    : error.message || `HTTP ${error.status}`;
  throw new OperatorError(`${email} was not invited and not added: ${reason}.`);
}

async function listMembers({ company, ...options }: Printing & { company: string }) {
  const project = openProject();
  const members = await everyRow<Member & { id: string }>(
    project,
    (after, limit) =>
      project.db.rpc("list_company_members", { company_id: company })
        .select("id:user_id, company_id, user_id, email, name, role, created_at")
        .gt("user_id", after).order("user_id").limit(limit) as unknown as PromiseLike<
          PostgrestSingleResponse<(Member & { id: string })[]>
        >,
  );
  if (members.length === 0) await requireCompany(project, company);
  const rank = ({ role }: Member) => ROLES.indexOf(role);
  members.sort((a, b) => rank(a) - rank(b) || labelOf(a).localeCompare(labelOf(b)));
  print(options, members.map(({ id: _, ...member }) => member), () =>
    table(members, {
      ROLE: ({ role }) => role,
      NAME: ({ name }) => name ?? "",
      "E-MAIL": ({ email }) => email ?? "",
      SINCE: ({ created_at }) => moment(created_at, ""),
      ID: ({ user_id }) => user_id,
    }, "No one works in this company yet: npm run admin -- member add adds a person."));
}

async function changeRole({ company, email, role, ...options }: Person & { role: string }) {
  const project = openProject();
  const answer = await project.db.rpc("change_company_member_role", {
    company_id: company,
    email,
    role,
  });
  const member = await memberOf(project, answer as PostgrestSingleResponse<Member>, company, email);
  print(options, member, () => `${called(member)} is now ${role}.`);
}

async function removeMember({ company, email, ...options }: Person) {
  const project = openProject();
  const answer = await project.db.rpc("remove_company_member", { company_id: company, email });
  const member = await memberOf(project, answer as PostgrestSingleResponse<Member>, company, email);
  print(options, member, () => `Removed ${called(member)}, who was ${member.role}.`);
}

async function resetFactors({ email, ...options }: Printing & { email: string }) {
  const project = openProject();
  const removed = project.rows(
    await project.db.rpc("remove_second_factors", { email }) as PostgrestSingleResponse<number>,
    {
      PT404: `No one has signed up as ${email}.`,
      PT409: `${email} has no second factor, or several people have this address.`,
    },
  );
  print(
    options,
    { email, removed },
    () =>
      `Removed the second factors of ${email} (${removed}) and ended all sessions. The person signs in without a ` +
      "code, and can set up a second factor again on the settings page.",
  );
}

/**
 * Returns the member from the result of a call about one person. If the call found no member, the
 * error says whether the company does not exist or the person does not work in it.
 */
async function memberOf(
  project: Project,
  answer: PostgrestSingleResponse<Member>,
  company: string,
  email: string,
): Promise<Member> {
  if (answer.error?.code === "PT404") await requireCompany(project, company);
  return project.rows(answer, {
    PT404: `${email} does not work in this company: npm run admin -- member list shows who does.`,
    PT503:
      `The removal of ${email} took too long, so nothing was changed. Very many conversations may be ` +
      'assigned to the person: see "Removing a person with very many conversations" in docs/operating.md.',
  });
}

function called(member: Member): string {
  const { name, email } = member;
  return printable(name && email ? `${name} (${email})` : labelOf(member));
}

function labelOf({ name, email, user_id }: Member): string {
  return name ?? email ?? user_id;
}
