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
}
