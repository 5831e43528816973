import type { BlobStore } from "../../../platform/blobs/port.ts";
import { isPassed, type ShownTest, type StepPicture } from "./steps.ts";

/** The maximum size of a page in bytes, so that it can be mailed and opened on a phone. */
const PAGE_BYTES = 20 * 1024 * 1024;

export type PagePictures = {
  /** `data:` URLs by picture key, null if a picture was deleted. Omitted pictures have no entry. */
  readonly data: ReadonlyMap<string, string | null>;
  readonly leftOut: number;
};

/**
 * Embeds the pictures of a page as `data:` URLs within the size limit. Failed and differing steps take precedence, then
 * the last steps, those of failed tests first.
 */
export const picturesFor = async (
  blobs: Pick<BlobStore, "get">,
  tests: readonly ShownTest[],
  pageBytes = PAGE_BYTES,
): Promise<PagePictures> => {
  // An estimate of the page without pictures.
  let room = pageBytes - Buffer.byteLength(JSON.stringify(tests));
  const data = new Map<string, string | null>();
  let isFull = false;
  let leftOut = 0;
  for (const { key, isBad } of inTurn(tests)) {
    const blob = isFull && !isBad ? undefined : await blobs.get(key);
    const address = blob && `data:${blob.contentType};base64,${blob.bytes.toString("base64")}`;
    if (blob === null) data.set(key, null);
    else if (address && address.length <= room) {
      room -= address.length;
      data.set(key, address);
    } else {
      leftOut += 1;
      isFull = true;
    }
  }
  return { data, leftOut };
};

type Turn = Pick<StepPicture, "key"> & {
  readonly isBad: boolean;
  /** The sort key, ascending: the priority of the step, then the number of steps after it. */
  readonly rank: readonly [number, number];
};

const inTurn = (tests: readonly ShownTest[]): readonly Turn[] => {
  const turns = tests.flatMap(({ test, attempts }) =>
    attempts.flatMap(({ browsers }) =>
      browsers.flatMap(({ steps }) =>
        steps.flatMap(({ number, status, pictures }) => {
          const isBad = status === "failed" || pictures.some(({ what }) => what === "difference");
          const worth = isBad ? 0 : isPassed(test) ? 2 : 1;
          const rank = [worth, isBad ? 0 : steps.length - number] as const;
          return pictures.map(({ key }): Turn => ({ key, isBad, rank }));
        }),
      ),
    ),
  );
  return turns.toSorted((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
};
