import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Picture, pictureKey } from "../../service/pictures.ts";
import type { PicturesSearch } from "../search.ts";
import { PictureDetail } from "./pictureDetail.tsx";
import { PictureList } from "./pictureList.tsx";

type PictureReviewProps = {
  readonly runId: string;
  readonly pictures: readonly Picture[];
  /** Names of tests by id. */
  readonly names: ReadonlyMap<string, string>;
};

/** The list of pictures beside the one that the address names, else the first open one. */
export const PictureReview = ({ runId, pictures, names }: PictureReviewProps) => {
  const search = useSearch({ strict: false }) as PicturesSearch;
  const navigate = useNavigate();
  const shown =
    pictures.find((one) => pictureKey(one) === search.picture) ??
    pictures.find(({ review }) => review === "open") ??
    pictures[0];
  const show = (change: PicturesSearch) =>
    void navigate({
      to: ".",
      search: (known: PicturesSearch) => ({ ...known, ...change }),
      replace: true,
      resetScroll: false,
    });
  if (!shown) return null;
  const choose = (picture: Picture | undefined) =>
    picture && show({ picture: pictureKey(picture) });
  const at = pictures.indexOf(shown);
  return (
    <div className="card review">
      <PictureList pictures={pictures} names={names} current={shown} onChoose={choose} />
      <PictureDetail
        key={pictureKey(shown)}
        runId={runId}
        picture={shown}
        name={names.get(shown.test_id) ?? "Test"}
        view={search.view}
        onView={(view) => show({ view })}
        onMove={(by) => choose(pictures[at + by])}
        onDecided={() => choose(nextOpen(pictures, at))}
      />
    </div>
  );
};

/** The next open picture after the one at a place, from the beginning again after the last. */
const nextOpen = (pictures: readonly Picture[], at: number): Picture | undefined =>
  [...pictures.slice(at + 1), ...pictures.slice(0, at)].find(({ review }) => review === "open");
