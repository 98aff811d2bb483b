import pytest

from tests.page_rules import find_page_faults


@pytest.mark.parametrize(
    "html",
    [
        "<h1></h1>",
        "<p> </p>",
        "<label></label>",
        "<button></button>",
        '<button aria-label="Add"></button>',
        "<button><svg><path/></svg></button>",
        '<a href="/list"></a>',
        '<a href="/nowhere">Go</a>',
        '<a href="/stock//edit">Change</a>',
        '<a href="/stock/None">Change</a>',
        '<form method="post" action="/list"><p>x</p></form>',
        '<input id="" name="q">',
        '<input name="q" placeholder="">',
        '<input type="hidden" name="version" value="">',
        '<label for="q">Find</label>',
        '<p aria-describedby="why wrong" id="why">x</p>',
        '<template id="words" data-undo=""></template>',
        '<option value=""></option>',
    ],
)
def test_empty_labels_and_dead_links_are_found(html: str) -> None:
    assert find_page_faults(html)


@pytest.mark.parametrize(
    "html",
    [
        '<button aria-label="Add"><svg><path/></svg></button>',
        '<button><svg></svg> Add</button><p role="status"></p>',
        '<a href="/list?at=1">List</a><a href="https://example.org">Out</a>',
        '<form method="post" action="/list/add"><label for="q">Find</label><input id="q"></form>',
        '<form action="/stock"><button formaction="/list/put-away-all">All</button></form>',
        '<option value="Milk"></option><option value="">Anywhere</option>',
    ],
)
def test_valid_labels_and_links_pass(html: str) -> None:
    assert not find_page_faults(html)
