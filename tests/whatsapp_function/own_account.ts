import { type Company, newCompany } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

/** A company whose account is in a separate business account. */
export interface CompanyWithCatalogue extends Company {
  business_account_id: string;
}

/** Creates a company whose account is in a separate business account. */
export async function companyWithCatalogue(): Promise<CompanyWithCatalogue> {
  const company = await newCompany();
  const business_account_id = `9${company.phone_number_id.slice(1)}`;
  await statement`update messaging_accounts set business_account_id = ${business_account_id}
      where id = ${company.account_id}`;
  return { ...company, business_account_id };
}

/** A company's stored templates, by name and language. */
export async function templatesOf({ id }: { id: string }) {
  return await withDatabase(async (sql) => [
    ...await sql`select * from templates where company_id = ${id} order by name, language`,
  ]);
}

/** A company's job runs, oldest first. */
export async function runsOf({ id }: { id: string }) {
  return await withDatabase(async (sql) => [
    ...await sql`select * from job_runs where company_id = ${id} order by began_at, job desc`,
  ]);
}

/** The result or the failure of a company's last run of a job. */
export async function lastRunOf(company: { id: string }, job = "template-sync") {
  const { result, failure } = (await runsOf(company)).filter((run) => run.job === job).at(-1)!;
  return { result, failure };
}

/** A company's uploaded media files. */
export async function mediaOf({ id }: { id: string }) {
  return await withDatabase(async (sql) => [
    ...await sql`select * from template_media where company_id = ${id} order by sample_source`,
  ]);
}
