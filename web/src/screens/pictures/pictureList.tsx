import { useEffect, useRef } from "react";
import { type Picture, pictureKey } from "../../service/pictures.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";

export const reviewLabels = {
  open: "To review",
  approved: "Approved",
  closed: "Closed",
} as const satisfies Record<Picture["review"], string>;

const icons = {
  open: "picture",
  approved: "check",
  closed: "cross",
} as const satisfies Record<Picture["review"], IconName>;

type PictureListProps = {
  readonly pictures: readonly Picture[];
  readonly names: ReadonlyMap<string, string>;
  readonly current: Picture;
  readonly onChoose: (picture: Picture) => void;
};

/** The pictures of a run in the order of its tests, each with the decision on it. */
export const PictureList = ({ pictures, names, current, onChoose }: PictureListProps) => {
  const list = useRef<HTMLOListElement>(null);
  const key = pictureKey(current);
  useEffect(() => {
    const item = list.current?.querySelector(`[data-picture="${key}"]`);
    item?.scrollIntoView({ block: "nearest" });
  }, [key]);
  return (
    <ol className="picture-list" ref={list} aria-label="Pictures">
      {pictures.map((picture) => (
        <li key={pictureKey(picture)} data-picture={pictureKey(picture)}>
          <button
            type="button"
            className="picture-row"
            aria-current={pictureKey(picture) === key ? "true" : undefined}
            onClick={() => onChoose(picture)}
          >
            <span className={`review-mark ${picture.review}`}>
              <Icon name={icons[picture.review]} />
              <span className="visually-hidden">{reviewLabels[picture.review]}:</span>
            </span>
            <span className="row-main">
              <span className="row-title">{names.get(picture.test_id) ?? "Test"}</span>
              <span className="row-note">
                step {picture.step_number} · {picture.browser} · {picture.viewport}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
};
