/** An event's name in words: `PlanChangeCreated` is "Plan change created". */
export const eventWords = (event: string): string =>
  event
    .replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^Api /, "API ")
    .replace("rganization", "rganisation");
