import { z } from "zod";

const short = z.string().max(120);

/** What an element is told by. Texts are cut; what has been entered into a field is never among them. */
export const featuresSchema = z.object({
  /** What can be done to it: only such elements are alike. */
  kind: z.enum(["check", "select", "field", "other"]),
  tag: short,
  role: short,
  /** Its accessible name. */
  name: short,
  text: short,
  testId: short,
  id: short,
  /** The attributes `name`, `type`, `placeholder`, `alt`, `title`; of `href` the path alone. */
  nameAttribute: short,
  type: short,
  placeholder: short,
  alt: short,
  title: short,
  href: short,
  classes: z.array(short).max(10),
  /** Those of them that nothing else on the page has. */
  ownClasses: z.array(short).max(10),
  /** Tags of what it is in, the nearest first. */
  path: z.array(short).max(8),
  /** The nearest heading before it, and the texts beside it. */
  heading: short,
  before: short,
  after: short,
  /** Its place among its siblings, from 0, and on the page, in CSS pixels. */
  index: z.int().nonnegative(),
  x: z.int(),
  y: z.int(),
});
export type Features = z.output<typeof featuresSchema>;

/** What else stood on the page and was of the same kind: those are not it. */
const rivalSchema = z.object({
  role: short,
  name: short,
  id: short,
  href: short,
  /** Where it shares them with the element. */
  testId: short.optional(),
  nameAttribute: short.optional(),
});
export type Rival = z.output<typeof rivalSchema>;

/** A step's element as it was when the step last passed. */
export const fingerprintSchema = featuresSchema.extend({ rivals: z.array(rivalSchema).max(60) });
export type Fingerprint = z.output<typeof fingerprintSchema>;
