import { BESIDE_PX } from "../../catalogue/values.ts";
import type { Helper } from "../script/helpers.ts";

/** The code with which an exported script gives files and drops beside an element. */
export const dropping: readonly Helper[] = [
  {
    name: "give_file",
    code: `FIELD_OF = """(element) => {
  const isFile = (one) => one instanceof HTMLInputElement && one.type === "file";
  const labelled = [element, element.control ?? element.closest("label")?.control].find(isFile);
  const inside = element.querySelectorAll("input[type=file]");
  return labelled ?? (inside.length === 1 ? inside[0] : null);
}"""
DROP = """(element, { name, base64 }) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
  const isTaken = (type) =>
    !element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
  isTaken("dragenter");
  return isTaken("dragover") ? isTaken("drop") : null;
}"""


def give_file(locator, path):
    """To a file field, to an area that takes drops, or to a button that asks for a file."""
    field = locator.evaluate_handle(FIELD_OF).as_element()
    if field:
        field.set_input_files(path)
        return
    data = base64.b64encode(Path(path).read_bytes()).decode()
    taken = locator.evaluate(DROP, {"name": path.name, "base64": data})
    if taken is None:
        with locator.page.expect_file_chooser() as asked:
            locator.click()
        asked.value.set_files(path)
    elif not taken:
        raise AssertionError("The file was dropped, and nothing took it")`,
  },
  {
    name: "drag_beside",
    code: `def drag_beside(locator, anchor, side):
    locator.scroll_into_view_if_needed()
    start, box = locator.bounding_box(), anchor.bounding_box()
    if not start or not box:
        raise AssertionError("There is nothing to see of what is dragged or dropped beside")
    far = ${BESIDE_PX}
    across = {"left": -far, "right": box["width"] + far}.get(side, box["width"] / 2)
    down = {"above": -far, "below": box["height"] + far}.get(side, box["height"] / 2)
    mouse = locator.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + across, box["y"] + down, steps=5)
    mouse.up()`,
  },
];
