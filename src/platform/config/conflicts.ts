import { type Parsed, ROLES } from "./settings.ts";
import { LOOPBACK } from "./valueTypes.ts";

/** Contradictions between settings that are valid individually, one sentence each. */
export const findConflicts = (settings: Parsed): string[] => {
  const problems: string[] = [];
  if (settings.EXECUTION_NETWORK === "open" && !LOOPBACK.test(settings.HOST)) {
    problems.push(
      `EXECUTION_NETWORK should be public: HOST is ${settings.HOST}, and its users could otherwise open addresses inside your network`,
    );
  }
  if (settings.COOKIE_SAMESITE === "none" && !settings.PUBLIC_URL?.startsWith("https://")) {
    problems.push(
      "PUBLIC_URL should be the service's https address: browsers take a cookie of COOKIE_SAMESITE=none over https alone",
    );
  }
  if (settings.SMTP_URL !== null && settings.MAIL_FROM === null) {
    problems.push(
      "MAIL_FROM should be set: with SMTP_URL, mail leaves the house and needs a sender that may be answered",
    );
  }
  for (const name of ["GOOGLE", "MICROSOFT"] as const) {
    const [id, secret] = [`OAUTH_${name}_CLIENT_ID`, `OAUTH_${name}_CLIENT_SECRET`] as const;
    if ((settings[id] === null) === (settings[secret] === null)) continue;
    problems.push(
      settings[id] === null
        ? `${id} should be set, as ${secret} is: the id of this service at the provider`
        : `${secret} should be set, as ${id} is: the secret that the provider issued with it`,
    );
  }
  for (const [one, other] of [
    ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"],
  ] as const) {
    if (settings[one] === null && settings[other] !== null) {
      problems.push(`${one} should be set, as ${other} is: one is of no use without the other`);
    }
  }
  if (settings.LLM_BASE_URL !== null && settings.LLM_MODEL === null) {
    problems.push("LLM_MODEL should be set, as LLM_BASE_URL is: the name of the model to ask");
  }
  if (settings.ROLES.length < ROLES.length) {
    for (const name of ["EVENTSTORE_URL", "DATABASE_URL", "NATS_URL"] as const) {
      if (settings[name] === null) {
        problems.push(
          `${name} should be set: with some of the ROLES alone, this process shares log, tables and bus with others`,
        );
      }
    }
  }
  return problems;
};
