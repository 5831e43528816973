/** A helper function of exported scripts, which contain only the helpers they use. */
export type Helper = { readonly name: string; readonly code: string };

const uses = (code: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);

/** The helpers that a script uses, directly or indirectly. A helper only uses helpers before it. */
export const helpersFor = (helpers: readonly Helper[], body: string): string[] => {
  let code = body;
  const needed: string[] = [];
  for (const helper of helpers.toReversed()) {
    if (!uses(code, helper.name)) continue;
    needed.unshift(helper.code);
    code = `${code}\n${helper.code}`;
  }
  return needed;
};
