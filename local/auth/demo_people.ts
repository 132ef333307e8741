import { DEMO_COMPANY_ID } from "../demo.ts";
import type { Sql } from "../postgres/database.ts";
import type { Secrets } from "../secrets.ts";

/** A user of the demo company. */
export interface DemoPerson {
  email: string;
  role: string;
  /** null when the user has chosen another password. */
  password: string | null;
}

const OWNER = "helena.duarte@ondalva.example";
const AGENT = "amina.okoro@ondalva.example";

/**
 * Gives the demo company's owner and agent their passwords, unless they already have passwords.
 * Returns those of the two who are still members of the company, or null when both have left the
 * company.
 * @param admin a database connection as the superuser.
 */
export async function demoPeople(
  admin: Sql,
  { owner_password, agent_password }: Pick<Secrets, "owner_password" | "agent_password">,
): Promise<DemoPerson[] | null> {
  // bcrypt's lowest cost is enough, because the passwords are random. The low cost also keeps the
  // start of the stack fast.
  const people = await admin<{ email: string; role: string; password: string | null }[]>`
    with given (place, email, password) as (
      values (1, ${OWNER}, ${owner_password}), (2, ${AGENT}, ${agent_password})
    ),
    set_now as (
      update auth.users as person
      set encrypted_password = extensions.crypt(given.password, extensions.gen_salt('bf', 4))
      from given
      where person.email = given.email and coalesce(person.encrypted_password, '') = ''
      returning person.id
    )
    select given.email, member.role, case
      when set_now.id is not null then given.password
      when person.encrypted_password = extensions.crypt(given.password, person.encrypted_password)
        then given.password
    end as password
    from given
    join auth.users as person on person.email = given.email
    join company_members as member on member.user_id = person.id and member.company_id = ${DEMO_COMPANY_ID}
    left join set_now on set_now.id = person.id
    order by given.place
  `;
  return people.length > 0 ? Array.from(people) : null;
}
