/** Functions of the page that the exported scripts of every language share, as text. */

/** The file field of an element: itself, its label's, or the only one inside of it. */
export const FIELD_OF = `(element) => {
  const isFile = (one) => one instanceof HTMLInputElement && one.type === "file";
  const labelled = [element, element.control ?? element.closest("label")?.control].find(isFile);
  const inside = element.querySelectorAll("input[type=file]");
  return labelled ?? (inside.length === 1 ? inside[0] : null);
}`;

/** Drops a file on an element: whether it took the file, or null if it takes no drops. */
export const DROP = `(element, { name, base64 }) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
  const isTaken = (type) =>
    !element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
  isTaken("dragenter");
  return isTaken("dragover") ? isTaken("drop") : null;
}`;
