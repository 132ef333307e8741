/** A messaging account in the form that the commands print, without its access token. */
export interface Account {
  id: string;
  company_id: string;
  phone_number_id: string;
  business_account_id: string | null;
  display_phone: string;
  disconnected_at: string | null;
  created_at: string;
}

/** The database columns of an `Account`, passed to `select`. */
export const ACCOUNT =
  "id, company_id, phone_number_id, business_account_id, display_phone, disconnected_at, created_at";
