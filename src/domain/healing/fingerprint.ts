import { z } from "zod";

const short = z.string().max(120);

/** Features that identify an element. Texts are truncated. Values of fields are never included. */
export const featuresSchema = z.object({
  /** Kind of interaction. Only elements of the same kind are compared. */
  kind: z.enum(["check", "select", "field", "other"]),
  tag: short,
  role: short,
  /** Accessible name. */
  name: short,
  text: short,
  testId: short,
  id: short,
  /** The attributes `name`, `type`, `placeholder`, `alt`, `title`, and the path of `href`. */
  nameAttribute: short,
  type: short,
  placeholder: short,
  alt: short,
  title: short,
  href: short,
  classes: z.array(short).max(10),
  /** The identifiers that are unique on the page. */
  ownClasses: z.array(short).max(10),
  /** Tags of the ancestors, nearest first. */
  path: z.array(short).max(8),
  /** The nearest preceding heading, and adjacent texts. */
  heading: short,
  before: short,
  after: short,
  /** Index among siblings, from 0, and position on the page in CSS pixels. */
  index: z.int().nonnegative(),
  x: z.int(),
  y: z.int(),
});
export type Features = z.output<typeof featuresSchema>;

/** Another element of the same kind on the page, which is not the step's element. */
const rivalSchema = z.object({
  role: short,
  name: short,
  id: short,
  href: short,
  /** Set if equal to those of the element. */
  testId: short.optional(),
  nameAttribute: short.optional(),
});
export type Rival = z.output<typeof rivalSchema>;

/** The step's element when the step last passed. */
export const fingerprintSchema = featuresSchema.extend({ rivals: z.array(rivalSchema).max(60) });
export type Fingerprint = z.output<typeof fingerprintSchema>;
