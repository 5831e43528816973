import type { Target } from "../../domain/catalogue/target.ts";

/** How a target was found, in words: the way, and where it had to look. */
export const textOf = (way: string, target: Target): string => {
  const parts = [way];
  if (target.ordinal)
    parts.push(target.ordinal.at === "last" ? "(last)" : `(number ${target.ordinal.nth})`);
  if (target.within) parts.push(`in ${describeTarget(target.within)}`);
  if (target.near) parts.push(`next to ${describeTarget(target.near)}`);
  return parts.join(" ");
};

/** `button "Save"`, `"Save"`, `css=#save`: a target in words. */
export const describeTarget = ({ find }: Target): string => {
  switch (find.by) {
    case "selector":
      return find.selector;
    case "testId":
      return `test id ${JSON.stringify(find.id)}`;
    case "name":
      return JSON.stringify(find.name);
    case "kind":
      return find.name === null ? find.kind : `${find.kind} ${JSON.stringify(find.name)}`;
  }
};
