/**
 * Rows, cells and columns (docs/matching.md, "Rows"), as JavaScript for the page. `bodyRows(root)` are the visible
 * rows with data: header, footer, group and filler rows do not count. `crossing(row, header)` is the cell of a row in
 * the column with that header, spans resolved.
 */
export const ROWS = `
const ROW = "tr, [role=row]";
const CELL = "td, th, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader]";
const cellsOf = (row) => row.nodeName === "TR" && !row.hasAttribute("role") ? [...row.cells] : inTree(row, CELL).filter((cell) => cell.closest(ROW) === row);
const isHeaderCell = (cell) => roleOf(cell) === "columnheader";
const isDataRow = (row) => {
  if (row.closest("thead, tfoot") || roleOf(row) !== "row") return false;
  const cells = cellsOf(row);
  const data = cells.filter((cell) => /^(?:cell|gridcell)$/.test(roleOf(cell)));
  if (data.length === 0) return false;
  const holds = (cell) => norm(cell.textContent) !== "" || cell.querySelector("input, button, img, svg, select, a, textarea, canvas") !== null;
  if (!cells.some(holds)) return false;
  const isSpread = cells.length === 1 && (Number(data[0].getAttribute("colspan") ?? data[0].getAttribute("aria-colspan")) > 1);
  return !isSpread;
};
const rowNumber = (row) => Number(row.getAttribute("aria-rowindex")) || null;
/* A row of a table in a cell is no row of the table around. */
const isNested = (row, root) => { const cell = root.nodeType === 1 ? parentOf(row)?.closest(CELL) : null; return cell && cell !== root && isWithin(cell, root); };
/* Columns that are pinned are drawn in rows of their own, with the number of the row that they belong to. */
const isTwin = (row, other) => row === other || (rowNumber(row) !== null && rowNumber(row) === rowNumber(other) && tableOf(row) !== null && tableOf(row) === tableOf(other));
const twinsOf = (row) => { const table = tableOf(row); return table && rowNumber(row) !== null ? inTree(table, ROW).filter((other) => isTwin(row, other)) : [row]; };
const bodyRows = (root) => {
  const all = inTree(root, ROW).filter((row) => isDataRow(row) && isVisible(row, true) && !isNested(row, root));
  const rows = all.filter((row, at) => all.findIndex((other) => isTwin(row, other)) === at);
  return rows.length > 0 && rows.every((row) => rowNumber(row) !== null && tableOf(row) === tableOf(rows[0]))
    ? rows.sort((a, b) => rowNumber(a) - rowNumber(b))
    : rows;
};
/* Footer rows do not count, and may be named: "the Total row". */
const footRows = (root) => inTree(root, "tfoot tr, tfoot [role=row]").filter((row) => cellsOf(row).length > 0 && isVisible(row, true));
const headerRows = (table) => {
  const all = inTree(table, ROW).filter((row) => tableOf(row) === table && cellsOf(row).length > 0 && cellsOf(row).every((cell) => isHeaderCell(cell) || row.closest("thead")));
  return all.filter((row, at) => all.findIndex((other) => isTwin(row, other)) === at);
};
/* How many rows a grid says that it has, when it draws a part of them; null for any other table. */
const virtualCount = (table) => {
  const count = Number(table?.getAttribute("aria-rowcount") ?? 0);
  if (!(count > 0) || !inTree(table, ROW).some((row) => rowNumber(row) !== null)) return null;
  return Math.max(0, count - headerRows(table).length);
};
/* How many items a list says that it has, when it draws a part of them; null for any other. */
const virtualSize = (items) => {
  const sizes = new Set(items.map((item) => Number(item.getAttribute("aria-setsize"))));
  const [size = 0] = sizes;
  return sizes.size === 1 && size > items.length && items.every((item) => parentOf(item) === parentOf(items[0])) ? size : null;
};
/* The n-th row of a grid whose rows are numbered: the number wins over the place. */
const rowAt = (rows, nth) => {
  const table = tableOf(rows[0]);
  if (virtualCount(table) === null || rows.some((row) => rowNumber(row) === null)) return rows[nth - 1];
  return rows.find((row) => rowNumber(row) === nth + headerRows(table).length);
};
/* The cells of a table by row and column; a cell that spans stands in each of its places. */
const gridOf = (table) => {
  const grid = [];
  const rows = inTree(table, ROW).filter((row) => tableOf(row) === table);
  rows.forEach((row, y) => {
    grid[y] ??= [];
    let x = 0;
    for (const cell of cellsOf(row)) {
      const said = Number(cell.getAttribute("aria-colindex"));
      if (said > 0) x = said - 1;
      while (grid[y][x]) x += 1;
      const wide = Number(cell.getAttribute("colspan") ?? cell.getAttribute("aria-colspan")) || 1;
      const high = Number(cell.getAttribute("rowspan") ?? cell.getAttribute("aria-rowspan")) || 1;
      for (let down = 0; down < high && y + down < rows.length; down += 1) {
        grid[y + down] ??= [];
        for (let across = 0; across < wide; across += 1) grid[y + down][x + across] = cell;
      }
      x += wide;
    }
  });
  return { grid, rows };
};
const headersOf = (table) => {
  const { grid, rows } = gridOf(table);
  const heads = rows.flatMap((row, y) => (cellsOf(row).some(isHeaderCell) || row.closest("thead") ? [y] : []));
  const found = new Map();
  for (const y of heads) grid[y].forEach((cell, x) => { if (cell && (isHeaderCell(cell) || rows[y].closest("thead"))) found.set(x + " " + y, { cell, x }); });
  return { grid, rows, headers: [...found.values()] };
};
/* The columns under a header of that name, equal names before whole words. */
const columnsCalled = (table, find) => {
  const { grid, rows, headers } = headersOf(table);
  const ranked = headers.map((one) => ({ ...one, rank: rankOf(contentOf(one.cell) || one.cell.getAttribute("aria-label"), find.name, find.match, langOf(one.cell)) })).filter(({ rank }) => rank >= 0);
  const isEqual = ranked.some(({ rank }) => rank > 0);
  const columns = [...new Set(ranked.filter(({ rank }) => !isEqual || rank > 0).map(({ x }) => x))];
  return { grid, rows, columns };
};
const crossing = (row, find) => {
  const table = tableOf(row);
  if (!table) return [];
  const { grid, rows, columns } = columnsCalled(table, find);
  const y = rows.indexOf(row);
  return columns.flatMap((x) => (grid[y]?.[x] ? [grid[y][x]] : []));
};
const columnCells = (table, find) => {
  const { grid, rows, columns } = columnsCalled(table, find);
  return [...new Set(rows.flatMap((row, y) => (isDataRow(row) ? columns.flatMap((x) => grid[y][x] ?? []) : [])))];
};
`;
