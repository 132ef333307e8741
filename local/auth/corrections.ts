// @supabase/lite is an alpha. This file corrects lite's sign-in where it differs from Supabase
// Auth. The comment on each correction describes Supabase's behaviour, and
// tests/local/auth_corrections_test.ts tests the correction.
import type { Mail } from "./mailbox.ts";
import { type Codes, correctPkce, tokenWithChallenge } from "./pkce.ts";
import { type Context, refusal, type Service, type Write } from "./service.ts";

/**
 * Returns a middleware that corrects the auth service of each request.
 * @param keep stores the e-mails that Supabase would send.
 */
export function asSupabaseAuth(keep: (mail: Omit<Mail, "at">) => void) {
  const codes: Codes = new Map();
  return async (context: Context, next: () => Promise<void>) => {
    const service = context.get("authService");
    if (!service) return await next();
    correct(service, context, keep);
    const leadBack = correctPkce(service, context, codes);
    await next();
    leadBack();
  };
}

function correct(service: Service, context: Context, keep: (mail: Omit<Mail, "at">) => void) {
  const { signInWithOtp, requestMagicLink, updateUser, signOut } = service;

  // On Supabase, an e-mailed link leads to the URL in the request, if the rules allow that URL. In
  // lite, an e-mailed link always leads to the Site URL.
  const { origin } = new URL(context.req.url);
  const redirect = service.resolveEmailRedirect(context.req.query("redirect_to"));
  const write = (kind: Mail["kind"], type: string): Write => async (to, tokenHash, code) => {
    const link = new URL("/auth/v1/verify", origin);
    const token = await tokenWithChallenge(context, tokenHash);
    link.search = new URLSearchParams({ token, type, redirect_to: redirect }).toString();
    keep({ to, kind, link: link.href, code });
  };
  service.mailer = {
    sendMagicLink: write("magic_link", "magiclink"),
    sendRecovery: write("recovery", "recovery"),
    sendConfirmation: write("invite", "signup"),
    sendEmailChange: write("email_change", "email_change"),
    sendReauthentication: (to, code) =>
      Promise.resolve(keep({ to, kind: "reauthentication", link: null, code })),
  };

  // If sign-ups are off, Supabase refuses to send a link to an unknown e-mail address, but lite
  // creates a user. Supabase treats an invited user as unknown until the user confirms the e-mail
  // address.
  const signUpsAreOff = async (email: unknown, createsPerson = true) => {
    if (typeof email !== "string") return;
    const person = await service.repo.findUserByEmail(email.toLowerCase());
    if (person ? person.email_confirmed_at : !createsPerson) return;
    throw await refusal(service, 422, "signup_disabled", "Signups not allowed for this instance");
  };
  service.signInWithOtp = async (email, options) => {
    await signUpsAreOff(email, options?.shouldCreateUser);
    await signInWithOtp.call(service, email, options);
  };
  service.requestMagicLink = async (email, options) => {
    await signUpsAreOff(email);
    await requestMagicLink.call(service, email, options);
  };

  // On Supabase, a new password ends all of the user's other sessions. A password has at most 72
  // bytes, because bcrypt ignores further bytes.
  service.updateUser = async (id, changes) => {
    const { password } = changes;
    if (typeof password === "string" && new TextEncoder().encode(password).length > 72) {
      throw await refusal(
        service,
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

  // On Supabase, a sign-out ends all of the user's sessions, unless the request has another scope.
  // lite ends only one session.
  service.signOut = (session, scope, user) =>
    signOut.call(service, session, scope ?? "global", user);
}
