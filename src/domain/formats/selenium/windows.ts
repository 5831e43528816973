import { BAD_LOCATOR, type Translate, targetOf, translated, unsupported } from "./translation.ts";

export const selectFrame: Translate = ({ target, frames }) => {
  const text = target.trim();
  const index = /^index=(\d{1,3})$/.exec(text);
  if (text === "relative=top" || text === "") {
    frames.length = 0;
    return translated({ action: "switch_frame" });
  }
  if (text === "relative=parent") {
    frames.pop();
    return translated(
      { action: "switch_frame" },
      ...frames.map((frame) => ({ action: "switch_frame", target: frame })),
    );
  }
  const frame = index ? `css=iframe, frame >> nth=${index[1]}` : targetOf(text);
  if (frame === null) return unsupported(BAD_LOCATOR);
  frames.push(frame);
  return translated({ action: "switch_frame", target: frame });
};

export const selectWindow: Translate = ({ target }) => {
  const text = target.trim();
  const handle = /^handle=\$\{(\w+)\}$/.exec(text);
  if (handle)
    return translated({ action: "switch_tab", target: handle[1] === "root" ? "1" : "last" });
  const index = /^(?:win_ser_|index=)(\d{1,3})$/.exec(text);
  if (index) return translated({ action: "switch_tab", target: `${Number(index[1]) + 1}` });
  if (text === "win_ser_local" || text === "")
    return translated({ action: "switch_tab", target: "1" });
  const title = /^title=(.+)$/s.exec(text);
  return title
    ? translated({ action: "switch_tab", target: title[1] ?? "" })
    : unsupported("A window is selected by its title.");
};

export const setWindowSize: Translate = ({ target }) =>
  translated({ action: "set_viewport", value: target.trim().replace(/\s*[x×,]\s*/i, "x") });
