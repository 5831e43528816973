/** Rules beyond the compiler and the linter: a forbidden pattern for a set of files, and the alternative. */
export type SourceRule = {
  readonly name: string;
  readonly files: RegExp;
  readonly except?: RegExp;
  readonly forbidden: RegExp;
  readonly instead: string;
};

/** They hold the text of programs that run elsewhere, by the clock and the environment that they find there. */
const SCRIPTS = /^src\/domain\/formats\/typescript\/[a-z]+\.ts$/;

export const sourceRules: readonly SourceRule[] = [
  {
    name: "domain-has-no-clock",
    files: /^src\/domain\//,
    except: SCRIPTS,
    forbidden: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bsetTimeout\(|\bsetInterval\(/,
    instead: "let the command bring the time",
  },
  {
    name: "domain-has-no-random",
    files: /^src\/domain\//,
    forbidden: /\bMath\.random\(|\bcrypto\.|\brandomUUID\(/,
    instead: "let the command bring the id",
  },
  {
    name: "domain-touches-nothing",
    files: /^src\/domain\//,
    except: SCRIPTS,
    forbidden: /\bprocess\.|\bconsole\.(?!json\b)|\bfetch\(|\bglobalThis\b/,
    instead: "return the effect as data, and execute it in src/commands or src/workers",
  },
  {
    name: "one-reader-of-the-environment",
    files: /^src\//,
    // The probe searches PATH for a browser, which is not a setting of the service.
    // Exported scripts read the environment of the machine on which they run.
    except:
      /^src\/(main\.ts|cli\/|workers\/executor\/browserProbe\.ts|domain\/formats\/typescript\/[a-z]+\.ts)/,
    forbidden: /\bprocess\.env\b/,
    instead: "take the setting from the Config that src/main.ts hands down",
  },
  {
    name: "cli-asks-through-the-client",
    files: /^src\/cli\//,
    // Keys that an auditor trusts, from wherever that person says.
    except: /^src\/cli\/audit\/verify\.ts$/,
    forbidden: /\bfetch\(/,
    instead: "call the API through src/client, whose types are the service's own",
  },
  {
    name: "nothing-left-open",
    files: /^(src|scripts|bench)\//,
    except: /^scripts\/sourceRules\.ts$/,
    forbidden: /\b(TODO|FIXME|XXX)\b|[Nn]ot implemented/,
    instead: "finish it, or leave it out",
  },
  {
    name: "every-test-runs",
    files: /^test\/.*\.ts$/,
    except: /^test\/unit\/scripts\//,
    forbidden: /\b(it|test|describe)\.(skip|only|todo|skipIf|runIf)\b/,
    instead: "make it pass or take it out",
  },
];

export type SourceProblem = {
  readonly line: number;
  readonly rule: string;
  readonly instead: string;
};

/** The violations in a file. Comment lines count only for rules about unfinished work. */
export const problemsIn = (file: string, text: string): SourceProblem[] =>
  sourceRules
    .filter(({ files, except }) => files.test(file) && !except?.test(file))
    .flatMap(({ name, forbidden, instead }) =>
      text.split("\n").flatMap((content, index) => {
        const isComment = /^\s*(\/\/|\/?\*)/.test(content);
        if (isComment && name !== "nothing-left-open") return [];
        return forbidden.test(content) ? [{ line: index + 1, rule: name, instead }] : [];
      }),
    );
