/** The signed-in user. */
export interface Person {
  id: string;
  email: string;
}

/** A company of which the user is a member. */
export interface Company {
  id: string;
  name: string;
  role: "owner" | "admin" | "agent";
  /** Whether the company requires a second factor that the session of this owner or admin lacks. */
  isLocked?: boolean;
}

/** An invitation for the user. */
export interface Invitation {
  id: string;
  company_name: string;
  role: Company["role"];
  invited_by_name: string | null;
  expires_at: string;
}
