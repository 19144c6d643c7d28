# SPDX-License-Identifier: Apache-2.0
"""The two kinds of failures."""


class ArtifactError(Exception):
    """A fault of the caller, the recipe or the lock: nothing can be done, say so and stop."""


class FetchError(Exception):
    """One artifact cannot be fetched. The others go on.

    `final` says that trying again cannot help (another version on the mirror, a missing tool).
    """

    def __init__(self, reason: str, final: bool = False):
        super().__init__(reason)
        self.final = final
