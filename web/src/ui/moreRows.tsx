import { useEffect, useRef } from "react";
import { Button } from "./button.tsx";

type MoreProps = {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
};

/** The end of a list that loads its next page when it comes into view. */
export const MoreRows = ({ hasMore, isLoading, onMore }: MoreProps) => {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!end.current || !hasMore || isLoading) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) onMore();
      },
      { rootMargin: "600px" },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [hasMore, isLoading, onMore]);
  if (!hasMore) return null;
  return (
    <div className="state" ref={end}>
      <Button onClick={onMore} busy={isLoading && "Loading more…"}>
        Load more
      </Button>
    </div>
  );
};
