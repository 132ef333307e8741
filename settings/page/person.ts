/** The person who is signed in. */
export interface Person {
  id: string;
  email: string;
}

/** A company where the person works. */
export interface Company {
  id: string;
  name: string;
  role: "owner" | "admin" | "agent";
  /** Whether the company requires a second factor that the session of this owner or admin lacks. */
  isLocked?: boolean;
}

/** An invitation to the person. */
export interface Invitation {
  id: string;
  company_name: string;
  role: Company["role"];
  invited_by_name: string | null;
  expires_at: string;
}
