import { useNavigate } from "@tanstack/react-router";
import { messageOf } from "../../service/errors.ts";
import { deleteTests, duplicateTest, restoreTests, type Test } from "../../service/tests.ts";
import { IconButton } from "../../ui/button.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx";
import { report } from "../../ui/toasts.tsx";

const exports = [
  ["Playwright in Python", "export/python"],
  ["Playwright in TypeScript", "export/typescript"],
  ["Gherkin", "export/gherkin"],
  ["YAML", "yaml"],
  ["Bundle", "export/svc"],
] as const;

/** Acts on a whole test: duplicate, export, delete. */
export const TestMenu = ({ test }: { readonly test: Test }) => {
  const navigate = useNavigate();
  const fail = (error: unknown) => report("error", messageOf(error));
  const duplicate = async () => {
    const { id } = await duplicateTest(test.id);
    await navigate({ to: "/tests/$testId", params: { testId: id } });
  };
  const remove = async () => {
    await deleteTests([test.id]);
    await navigate({ to: "/tests", ignoreBlocker: true });
    report("success", `${test.name} deleted`, {
      label: "Undo",
      act: () => void restoreTests([test.id]).catch(fail),
    });
  };
  return (
    <Menu align="end" trigger={<IconButton icon="more" label="More actions" />}>
      <MenuItem icon="copy" onSelect={() => void duplicate().catch(fail)}>
        Duplicate
      </MenuItem>
      <MenuSeparator />
      {exports.map(([label, path]) => (
        <MenuItem key={path} onSelect={() => location.assign(`/api/v1/tests/${test.id}/${path}`)}>
          Export as {label}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon="trash" danger onSelect={() => void remove().catch(fail)}>
        Delete
      </MenuItem>
    </Menu>
  );
};
