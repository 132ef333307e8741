// The internals of @supabase/lite's auth service that corrections.ts and pkce.ts correct.

/** The auth service. Each request has its own instance. */
export interface Service {
  mailer: Mailer;
  repo: Repository;
  /** The requested redirect URL if the rules allow it, otherwise the Site URL. */
  resolveEmailRedirect(address: string | undefined): string;
  signInWithPassword(email: unknown, password: unknown): Promise<unknown>;
  signInWithOtp(email: unknown, options?: { shouldCreateUser?: boolean }): Promise<void>;
  requestMagicLink(email: unknown, options?: unknown): Promise<void>;
  updateUser(id: string, changes: { password?: unknown }): Promise<unknown>;
  signOut(session: string, scope: string | undefined, user: string): Promise<void>;
  verifyOtp(asked: { token_hash?: unknown }): Promise<object>;
  exchangePkceCode(code: unknown, verifier: unknown): Promise<object>;
}
interface Repository {
  findUserByEmail(email: string): Promise<{ email_confirmed_at?: unknown } | null>;
  deleteRefreshTokensForUser(user: string, exceptSession?: string): Promise<void>;
  deleteUserSessions(user: string, exceptSession?: string): Promise<void>;
}
export type Write = (to: string, tokenHash: string, code: string) => Promise<void>;
interface Mailer {
  sendMagicLink: Write;
  sendRecovery: Write;
  sendConfirmation: Write;
  sendEmailChange: Write;
  sendReauthentication(to: string, code: string): Promise<void>;
}
export interface Context {
  req: {
    url: string;
    query(name: string): string | undefined;
    text(): Promise<string>;
  };
  res: Response;
  get(name: "authService"): Service;
  get(name: "sessionId"): string | undefined;
}

/**
 * Creates an error that lite returns in the format of Supabase Auth. lite does not export the class
 * of this error.
 */
export async function refusal(
  service: Service,
  status: number,
  code: string,
  message: string,
): Promise<Error> {
  const { constructor: AuthError } = await service.signInWithPassword("", "")
    .then(() => new Error(), (error) => error);
  return new AuthError(status, code, message);
}
