// @supabase/lite is an alpha. Where its sign-in differs from Supabase Auth, this file corrects it. Each correction
// says what Supabase does, and a test in tests/local/auth_corrections_test.ts fails for each one that has become
// unnecessary.
import type { Mail } from "./mailbox.ts";

/** The internals of lite's auth service that are corrected. There is a new one for each request. */
interface Service {
  mailer: Mailer;
  repo: Repository;
  /** A place that the rules allow; the site's own when it is none. */
  resolveEmailRedirect(address: string | undefined): string;
  signInWithPassword(email: unknown, password: unknown): Promise<unknown>;
  signInWithOtp(email: unknown, options?: { shouldCreateUser?: boolean }): Promise<void>;
  requestMagicLink(email: unknown, options?: unknown): Promise<void>;
  updateUser(id: string, changes: { password?: unknown }): Promise<unknown>;
  signOut(session: string, scope: string | undefined, user: string): Promise<void>;
}
interface Repository {
  findUserByEmail(email: string): Promise<object | null>;
  deleteRefreshTokensForUser(user: string, exceptSession?: string): Promise<void>;
  deleteUserSessions(user: string, exceptSession?: string): Promise<void>;
}
type Write = (to: string, tokenHash: string, code: string) => Promise<void>;
interface Mailer {
  sendMagicLink: Write;
  sendRecovery: Write;
  sendConfirmation: Write;
  sendEmailChange: Write;
  sendReauthentication(to: string, code: string): Promise<void>;
}
interface Context {
  req: {
    url: string;
    query(name: string): string | undefined;
  };
  get(name: "authService"): Service;
  get(name: "sessionId"): string | undefined;
}

/**
 * Corrects the auth service of a request.
 * @param keep is given what Supabase would mail.
 */
export function asSupabaseAuth(keep: (mail: Omit<Mail, "at">) => void) {
  return async (context: Context, next: () => Promise<void>) => {
    const service = context.get("authService");
    if (service) correct(service, context, keep);
    await next();
  };
}

function correct(service: Service, context: Context, keep: (mail: Omit<Mail, "at">) => void) {
  const { signInWithPassword, signInWithOtp, requestMagicLink, updateUser, signOut } = service;

  // A mailed link leads where the request asked for, when the rules allow the place. lite always leads to the site.
  const { origin } = new URL(context.req.url);
  const redirect = service.resolveEmailRedirect(context.req.query("redirect_to"));
  const write = (kind: Mail["kind"], type: string): Write => (to, tokenHash, code) => {
    const link = new URL("/auth/v1/verify", origin);
    link.search = new URLSearchParams({ token: tokenHash, type, redirect_to: redirect }).toString();
    return Promise.resolve(keep({ to, kind, link: link.href, code }));
  };
  service.mailer = {
    sendMagicLink: write("magic_link", "magiclink"),
    sendRecovery: write("recovery", "recovery"),
    sendConfirmation: write("invite", "signup"),
    sendEmailChange: write("email_change", "email_change"),
    sendReauthentication: (to, code) =>
      Promise.resolve(keep({ to, kind: "reauthentication", link: null, code })),
  };

  // Where nobody may sign up, a link for an unknown address is refused. lite makes the person.
  const signUpsAreOff = async (email: unknown) => {
    if (typeof email !== "string" || await service.repo.findUserByEmail(email.toLowerCase())) {
      return;
    }
    throw await refusal(422, "signup_disabled", "Signups not allowed for this instance");
  };
  service.signInWithOtp = async (email, options) => {
    if (options?.shouldCreateUser !== false) await signUpsAreOff(email);
    await signInWithOtp.call(service, email, options);
  };
  service.requestMagicLink = async (email, options) => {
    await signUpsAreOff(email);
    await requestMagicLink.call(service, email, options);
  };

  // A new password ends every other session of the person, and has at most the 72 bytes that bcrypt reads.
  service.updateUser = async (id, changes) => {
    const { password } = changes;
    if (typeof password === "string" && new TextEncoder().encode(password).length > 72) {
      throw await refusal(
        400,
        "validation_failed",
        "Password cannot be longer than 72 characters",
      );
    }
    const user = await updateUser.call(service, id, changes);
    if (password !== undefined) {
      await service.repo.deleteRefreshTokensForUser(id, context.get("sessionId"));
      await service.repo.deleteUserSessions(id, context.get("sessionId"));
    }
    return user;
  };

  // A sign-out ends every session of the person, unless another scope is asked for. lite ends one.
  service.signOut = (session, scope, user) =>
    signOut.call(service, session, scope ?? "global", user);

  /** An error that lite answers in the shape of Supabase Auth. It does not export the class. */
  async function refusal(status: number, code: string, message: string): Promise<Error> {
    const { constructor: AuthError } = await signInWithPassword.call(service, "", "")
      .then(() => new Error(), (error) => error);
    return new AuthError(status, code, message);
  }
}
