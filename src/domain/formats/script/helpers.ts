/** A helper of an exported script: written into it when something in the script uses it. */
export type Helper = { readonly name: string; readonly code: string };

const uses = (code: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);

/** The helpers that a script needs, and those that they need; a helper uses only those before it. */
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
